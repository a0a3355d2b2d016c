/* finding: see finding.h. */
#include "finding.h"

const char *finding_what(enum alibi_watch_what what)
{
	static const char *const names[] = {"violation", "undecided", "unverified"};
	return names[what];
}

alibi_violation finding_violation(const alibi_watch_event *e)
{
	alibi_violation v = {ALIBI_INIT(alibi_violation)};
	alibi_watch_event_violation(e, &v);
	return v;
}

size_t finding_members(const alibi_watch_event *e, struct finding_member members[FINDING_MEMBERS])
{
	alibi_violation v = finding_violation(e);
	const struct finding_member all[FINDING_MEMBERS] = {{"kind", v.kind},
	                                                    {"txn", v.txn},
	                                                    {"other", v.other},
	                                                    {"key", v.key},
	                                                    {"expected", v.expected},
	                                                    {"found", v.found},
	                                                    {"keys", alibi_watch_event_keys(e)},
	                                                    {"from", alibi_watch_event_from(e)},
	                                                    {"until", alibi_watch_event_until(e)},
	                                                    {"txns", alibi_watch_event_txns(e)},
	                                                    {"text", v.text}};
	size_t count = 0;
	for (size_t i = 0; i < FINDING_MEMBERS; i++)
		if (all[i].text)
			members[count++] = all[i];
	return count;
}
