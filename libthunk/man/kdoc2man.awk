# SPDX-License-Identifier: MIT
# Manual pages of a library's functions from the kernel-doc in front of them:
#	awk -v dir=OUTPUT -f kdoc2man.awk FILE.c...
# One page per function that is marked AQL_API.

function text(s) {
	gsub(/\\/, "\\e", s)
	gsub(/@[a-z_]+/, "\\fI&\\fR", s)
	gsub(/\\fI@/, "\\fI", s)
	gsub(/aql_[a-z_]+\(\)/, "\\fB&\\fR", s)
	sub(/^[.']/, "\\\\\\&&", s)
	return s
}

function page(   f, i) {
	f = dir "/" name ".3"
	print ".TH " name " 3 \"\" libaql \"AQL runtime\"" > f
	print ".SH NAME" > f
	print name " \\- " brief > f
	print ".SH SYNOPSIS\n.B #include <aql.h>\n.PP\n.B \"" proto ";\"" > f
	print ".SH DESCRIPTION" > f
	print toupper(substr(brief, 1, 1)) text(substr(brief, 2)) "." > f
	while (nbody && body[nbody] == "")
		nbody--
	for (i = 1; i <= nbody; i++)
		print body[i] == "" ? ".PP" : text(body[i]) > f
	for (i = 1; i <= nargs; i++)
		print ".TP\n.I " arg[i] "\n" text(argtext[i]) > f
	if (nret) {
		print ".SH RETURN VALUE" > f
		for (i = 1; i <= nret; i++)
			print text(ret[i]) > f
	}
	print ".SH SEE ALSO\n.BR libaql (3)" > f
	close(f)
}

function reset() {
	name = brief = proto = ""
	nbody = nargs = nret = 0
	where = "head"
}

/^\/\*\*$/ { reset(); indoc = 1; next }

indoc && /^ \*\// { indoc = 0; want = name != ""; next }

indoc {
	line = $0
	sub(/^ \*[ \t]?/, "", line)
	if (where == "head" && match(line, /^[a-z_0-9]+\(\) - /)) {
		name = line
		sub(/\(\).*/, "", name)
		brief = line
		sub(/^[a-z_0-9]+\(\) - /, "", brief)
		where = "args"
	} else if (line ~ /^@[a-z_]+: /) {
		nargs++
		arg[nargs] = line
		sub(/^@/, "", arg[nargs])
		sub(/:.*/, "", arg[nargs])
		argtext[nargs] = line
		sub(/^@[a-z_]+: /, "", argtext[nargs])
	} else if (line ~ /^Return: /) {
		where = "ret"
		sub(/^Return: /, "", line)
		ret[++nret] = line
	} else if (where == "ret") {
		if (line != "")
			ret[++nret] = line
	} else if (where == "args" && nargs && line != "") {
		sub(/^[ \t]+/, "", line)
		argtext[nargs] = argtext[nargs] "\n" line
	} else if (where == "args") {
		where = "body"
		if (line != "")
			body[++nbody] = line
	} else if (where == "body") {
		body[++nbody] = line
	}
	next
}

want && proto == "" && !/^AQL_API/ { want = 0; next }

want {
	line = $0
	sub(/^AQL_API /, "", line)
	sub(/^[ \t]+/, "", line)
	if (line == "{") {
		page()
		want = 0
	} else {
		proto = proto (proto == "" ? "" : " ") line
	}
}
