# src/base -- sources, tests and programs of this room.
