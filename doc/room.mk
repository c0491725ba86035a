# doc -- installed beside the README: the pages, the config examples, the files for web servers.
EXTRA_DIST += doc

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(docdir)/api" "$(DESTDIR)$(docdir)/deploy"
	$(INSTALL_DATA) $(srcdir)/doc/*.md "$(DESTDIR)$(docdir)"
	$(INSTALL_DATA) $(srcdir)/doc/api/*.md "$(DESTDIR)$(docdir)/api"
	$(INSTALL_DATA) $(srcdir)/deploy/example.yml "$(DESTDIR)$(docdir)/deploy"

uninstall-local:
	rm -rf "$(DESTDIR)$(docdir)"
