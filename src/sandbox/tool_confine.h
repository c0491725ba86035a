/* tool_confine -- what a program that a cell starts may not do.  Private to this component. */
#ifndef SANDBOX_TOOL_CONFINE_H
#define SANDBOX_TOOL_CONFINE_H

struct tool_order;

/* In the process that becomes the program: no new privileges; where the kernel has landlock, nothing is
 * written but below the order's folders, and no TCP.  -1 and errno. */
int tool_confine(const struct tool_order *order);

#endif
