# src/source -- sources, tests and programs of this room.
