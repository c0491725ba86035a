# src/unpack -- sources, tests and programs of this room.
