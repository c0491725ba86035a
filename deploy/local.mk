# deploy -- what goes beside the program: examples, units, a configuration to start from.
#
# The shipped files say /usr/bin/symgate and /etc/symgate; what is installed says where
# things are.
exampledir = $(docdir)/examples
sharedhostingdir = $(exampledir)/shared-hosting
systemunitdir = $(prefix)/lib/systemd/system
sysusersdir = $(prefix)/lib/sysusers.d
symgateconfdir = $(sysconfdir)/symgate

deploy_placed = \
	deploy/lighttpd.conf \
	deploy/nginx.conf \
	deploy/apache-fcgid.conf \
	deploy/apache-proxy-fcgi.conf \
	deploy/spawn-fcgi \
	deploy/example.yml
deploy_shared = \
	deploy/shared-hosting/.htaccess \
	deploy/shared-hosting/symgate.fcgi \
	deploy/shared-hosting/README
deploy_units = \
	deploy/systemd/symgate.service \
	deploy/systemd/symgate.socket
deploy_users = deploy/systemd/symgate.sysusers

place = $(SED) -e 's|/usr/bin/symgate|$(bindir)/symgate|g' -e 's|/etc/symgate|$(symgateconfdir)|g'

install-data-hook: install-deploy
install-deploy:
	$(MKDIR_P) "$(DESTDIR)$(sharedhostingdir)" "$(DESTDIR)$(systemunitdir)" \
		"$(DESTDIR)$(sysusersdir)" "$(DESTDIR)$(symgateconfdir)"
	for f in $(deploy_placed); do \
		$(place) <"$(top_srcdir)/$$f" >"$(DESTDIR)$(exampledir)/$${f##*/}" || exit 1; done
	for f in $(deploy_shared); do \
		$(place) <"$(top_srcdir)/$$f" >"$(DESTDIR)$(sharedhostingdir)/$${f##*/}" || exit 1; done
	chmod 755 "$(DESTDIR)$(exampledir)/spawn-fcgi" "$(DESTDIR)$(sharedhostingdir)/symgate.fcgi"
	for f in $(deploy_units); do \
		$(place) <"$(top_srcdir)/$$f" >"$(DESTDIR)$(systemunitdir)/$${f##*/}" || exit 1; done
	$(INSTALL_DATA) "$(top_srcdir)/$(deploy_users)" "$(DESTDIR)$(sysusersdir)/symgate.conf"
	test -e "$(DESTDIR)$(symgateconfdir)/symgate.yml" || \
		$(INSTALL_DATA) "$(top_srcdir)/deploy/symgate.yml" "$(DESTDIR)$(symgateconfdir)/symgate.yml"

# A configuration somebody has changed stays.
uninstall-hook: uninstall-deploy
uninstall-deploy:
	for f in $(deploy_placed); do rm -f "$(DESTDIR)$(exampledir)/$${f##*/}"; done
	for f in $(deploy_shared); do rm -f "$(DESTDIR)$(sharedhostingdir)/$${f##*/}"; done
	for f in $(deploy_units); do rm -f "$(DESTDIR)$(systemunitdir)/$${f##*/}"; done
	rm -f "$(DESTDIR)$(sysusersdir)/symgate.conf"
	! cmp -s "$(top_srcdir)/deploy/symgate.yml" "$(DESTDIR)$(symgateconfdir)/symgate.yml" || \
		rm -f "$(DESTDIR)$(symgateconfdir)/symgate.yml"
.PHONY: install-deploy uninstall-deploy
