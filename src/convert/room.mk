# src/convert -- sources, tests and programs of this room.
