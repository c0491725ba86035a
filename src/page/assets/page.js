/* page.js -- what pages do by themselves; without it each of them is complete. */
"use strict";
