# src/fetch -- sources, tests and programs of this room.
