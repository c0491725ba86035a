# src/store -- sources, tests and programs of this room.
