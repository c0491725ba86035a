# src/front -- sources, tests and programs of this room.
