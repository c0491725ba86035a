# src/object -- sources, tests and programs of this room.
