# src/board -- sources, tests and programs of this room.
