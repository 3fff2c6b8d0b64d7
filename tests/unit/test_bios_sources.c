/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of saved BIOS settings, field cases A01, A02, A04, E02 and G07. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bios/source.h"

/* One text of one node. */
static void read_text(struct bios_reading *r, const char *source, const char *text)
{
	const struct bios_text t = {text, strlen(text), "", NULL};
	const struct bios_source *s = bios_source_of(text, t.len);

	assert_non_null(s);
	assert_string_equal(s->name, source);
	bios_read(r, s, &t, 1);
}

/* The attribute has these; NULL: null, or nothing pending. */
static void expect(const struct bios_reading *r, const char *name, const char *current,
		   const char *pending, enum setting_state state)
{
	const struct setting *s = settings_find(&r->settings, name);

	if (!s) {
		fail_msg("no %s", name);
		return;
	}
	if (current)
		assert_string_equal(s->current.text, current);
	else
		assert_null(s->current.text);
	assert_int_equal(s->has_pending, pending != NULL);
	if (pending)
		assert_string_equal(s->pending.text, pending);
	assert_int_equal(s->state, state);
}

static void racadm_text_has_pending_values_and_noise(void **unused)
{
	static const char text[] =
		"Security Alert: Certificate is invalid - self-signed certificate\r\n"
		"Continuing execution. Use -S option for racadm to stop.\r\n"
		"[Key=BIOS.Setup.1-1#ProcSettings]      \r\n"
		"LogicalProc=Disabled (Pending Value=Enabled)\r\n"
		"#Proc1NumCores=64  \r\n"
		"ProcCoreSpeed=2.45 GHz\r\n"
		"\r\n"
		"[Key=BIOS.Setup.1-1#SysProfileSettings]\r\n"
		"#ProcPwrPerf=MaxPerf\r\n"
		"Odd=(Pending Value=x) y\r\n"
		"[Key=BIOS.Setup.1-1#MiscSettings]\r\n"
		"AssetTag= (Pending Value=RACK:12=A)\r\n"
		"NewSysPassword=hunter (Pending Value=PASS:1)\r\n"
		"[Key=iDRAC.Embedded.1#Users.2]\r\n"
		"UserName=somebody\r\n";
	struct bios_reading r;

	(void)unused;
	read_text(&r, "racadm", text);
	assert_null(r.error);
	assert_int_equal(r.settings.n, 7);
	expect(&r, "LogicalProc", "Disabled", "Enabled", SETTING_RW);
	expect(&r, "Proc1NumCores", "64", NULL, SETTING_READ_ONLY);
	expect(&r, "ProcPwrPerf", "MaxPerf", NULL, SETTING_READ_ONLY);
	expect(&r, "Odd", "(Pending Value=x) y", NULL, SETTING_RW);
	expect(&r, "AssetTag", "", "RACK:12=A", SETTING_RW);
	expect(&r, "NewSysPassword", "****", "****", SETTING_RW);
	assert_null(r.job);
	bios_reading_release(&r);
}

static void an_error_of_racadm_is_no_settings(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_text(&r, "racadm",
		  "Continuing execution.\r\n"
		  "ERROR: RAC0999 : the object could not be read.\r\n");
	assert_string_equal(r.error, "ERROR: RAC0999 : the object could not be read.");
	bios_reading_release(&r);
	read_text(&r, "racadm",
		  "[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Enabled\n"
		  "ERROR: RAC1000 : half of it\n");
	assert_int_equal(r.settings.n, 0);
	assert_non_null(r.error);
	bios_reading_release(&r);
}

static void racadm_text_that_is_not_whole_is_not_taken_as_whole(void **unused)
{
	static const char key[] = "[Key=BIOS.Setup.1-1#ProcSettings]\n";
	static const struct {
		const char *rest, *error, *remark;
	} cases[] = {
		{"LogicalProc=Disabled\nNumaNodes", "line 3: the text is cut off here",
		 NULL},
		{"LogicalProc=Disabled (Pending Value=Ena",
		 "line 2: the text is cut off here", NULL},
		{"LogicalProc=Disabled\n[Key=BIOS.Set",
		 "line 3: the text is cut off here", NULL},
		{"LogicalProc=Disab", NULL,
		 "line 2 has no end of line: it may be cut off"},
		{"LogicalProc=Disabled\nwhat is this\nA=1\n?\n", NULL,
		 "passed over as none of racadm's: lines 3, 5"},
		{"LogicalProc=Disabled\nLogicalProc=Disabled\n", NULL,
		 "1 attribute is there twice, with the same value"},
		{"LogicalProc=Disabled\nA=1\nLogicalProc=Enabled\n",
		 "LogicalProc is there twice: 'Disabled' at line 2, then 'Enabled' at "
		 "line 4",
		 NULL},
		{"LogicalProc=Disabled\nLogicalProc=Disabled (Pending Value=Enabled)\n",
		 "there twice: 'Disabled' at line 2, then 'Disabled' (pending 'Enabled') "
		 "at",
		 NULL},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bios_reading r;
		char text[300];

		(void)snprintf(text, sizeof(text), "%s%s", key, cases[i].rest);
		read_text(&r, "racadm", text);
		if (!r.error != !cases[i].error ||
		    (r.error && !strstr(r.error, cases[i].error)))
			fail_msg("case %zu: %s", i, r.error ? r.error : "no error");
		if (cases[i].remark && (!r.remark || strcmp(r.remark, cases[i].remark)))
			fail_msg("case %zu: %s", i, r.remark ? r.remark : "no remark");
		bios_reading_release(&r);
	}
}

static void a_shell_may_greet_before_racadm_speaks(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_text(&r, "racadm",
		  "Warning: Permanently added 'n1-idrac' to the list of known hosts.\n"
		  "*** Authorized use only. TERM=vt100 ***\n"
		  "/admin1-> racadm get BIOS.ProcSettings\n"
		  "[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Disabled\n\n"
		  "/admin1-> exit\n");
	assert_null(r.error);
	assert_int_equal(r.settings.n, 1);
	assert_string_equal(r.remark ? r.remark : "", "");
	bios_reading_release(&r);
}

static void racadm_tells_of_jobs(void **unused)
{
	static const char *const queues[][2] = {
		{"Job Name=Configure: BIOS.Setup.1-1\nStatus=Scheduled\n",
		 "{\"id\":\"JID_1\",\"state\":\"Scheduled\"}"},
		{"Job Name=Configure: BIOS.Setup.1-1\nStatus=Completed\n", "{}"},
		{"Job Name=Configure: RAID.Slot.1-1\nStatus=Running\n", "{}"},
	};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		char text[400];
		struct bios_reading r;

		(void)snprintf(text, sizeof(text),
			       "[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Enabled\n"
			       "-----JOB QUEUE-----\n[Job ID=JID_1]\n%s"
			       "Start Time=[Now]\nPercent Complete=[0]\n-----\n",
			       queues[i][0]);
		read_text(&r, "racadm", text);
		assert_int_equal(r.settings.n, 1);
		assert_string_equal(r.job, queues[i][1]);
		bios_reading_release(&r);
	}
}

static void scp_xml_has_values_in_comments(void **unused)
{
	static const char text[] =
		"<SystemConfiguration Model=\"PowerEdge X\" ServiceTag=\"T1\">\n"
		"<!--Export type is Normal-->\n"
		"<Component FQDD=\"NIC.Slot.1-1-1\">\n"
		" <Attribute Name=\"LogicalProc\">NotTheBiosOne</Attribute>\n"
		" <Component FQDD=\"BIOS.Nested.1\"/>\n"
		"</Component>\n"
		"<Component FQDD=\"BIOS.Setup.1-1\">\n"
		" <Attribute Name=\"SysProfile\">PerfPerWattOptimizedDapc</Attribute>\n"
		" <!-- <Attribute Name=\"ProcTurboMode\">Enabled</Attribute> -->\n"
		" <!--  ReadOnly  <Attribute Name=\"Proc1Brand\">CPU &lt;A&amp;B&gt; @ "
		"2.00GHz   </Attribute> -->\n"
		" <!-- talk about attributes -->\n"
		" <Attribute Name=\"LogicalProc\">Disabled</Attribute>\n"
		" <Attribute Name='SetBootOrderEn'></Attribute>\n"
		" <Attribute Name=\"SubNumaCluster\"/>\n"
		" <Attribute Name=\"SHA256SystemPassword\">abc</Attribute>\n"
		"</Component>\n"
		"<!-- <Attribute Name=\"Outside\">1</Attribute> -->\n"
		"</SystemConfiguration>\n";
	struct bios_reading r;

	(void)unused;
	read_text(&r, "scp-xml", text);
	assert_null(r.error);
	assert_int_equal(r.settings.n, 7);
	expect(&r, "SysProfile", "PerfPerWattOptimizedDapc", NULL, SETTING_RW);
	expect(&r, "ProcTurboMode", "Enabled", NULL, SETTING_LOCKED);
	expect(&r, "Proc1Brand", "CPU <A&B> @ 2.00GHz   ", NULL, SETTING_READ_ONLY);
	expect(&r, "LogicalProc", "Disabled", NULL, SETTING_RW);
	expect(&r, "SetBootOrderEn", "", NULL, SETTING_RW);
	expect(&r, "SubNumaCluster", "", NULL, SETTING_RW);
	expect(&r, "SHA256SystemPassword", "****", NULL, SETTING_RW);
	bios_reading_release(&r);
}

static void xml_that_is_hostile_is_refused(void **unused)
{
	static const char *const texts[][2] = {
		{"<!DOCTYPE s [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>"
		 "<SystemConfiguration><Component FQDD=\"BIOS.Setup.1-1\"><Attribute "
		 "Name=\"X\">&b;</Attribute></Component></SystemConfiguration>",
		 "DOCTYPE"},
		{"<SystemConfiguration><Component FQDD=\"BIOS.Setup.1-1\"><Attribute "
		 "Name=\"X\">1</Attribute>",
		 "not XML"},
		{"<SystemConfiguration></SystemConfiguration>",
		 "no BIOS attributes returned"},
		{"<SystemConfiguration><Component FQDD=\"BIOS.Setup.1-1\"><Attribute>1"
		 "</Attribute></Component></SystemConfiguration>",
		 "no name of an attribute"},
	};

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		struct bios_reading r;

		read_text(&r, "scp-xml", texts[i][0]);
		assert_non_null(r.error);
		if (!strstr(r.error, texts[i][1]))
			fail_msg("%s", r.error);
		assert_int_equal(r.settings.n, 0);
		bios_reading_release(&r);
	}
}

static void scp_json_says_what_is_locked(void **unused)
{
	static const char text[] =
		"{\"SystemConfiguration\":{\"Model\":\"X\",\"Components\":["
		"{\"FQDD\":\"NIC.1\",\"Attributes\":[{\"Name\":\"A\",\"Value\":\"1\"}]},"
		"{\"FQDD\":\"BIOS.Setup.1-1\",\"Attributes\":["
		"{\"Name\":\"SysProfile\",\"Value\":\"PerfOptimized\",\"Set On Import\":"
		"\"True\",\"Comment\":\"Read and Write\"},"
		"{\"Name\":\"ProcTurboMode\",\"Value\":\"Enabled\",\"Set On Import\":"
		"\"False\",\"Comment\":\"Read and Write\"},"
		"{\"Name\":\"Proc1Brand\",\"Value\":\"CPU\",\"Set On Import\":\"False\","
		"\"Comment\":\"Read Only\"}]}]}}";
	struct bios_reading r;

	(void)unused;
	read_text(&r, "scp-json", text);
	assert_null(r.error);
	assert_int_equal(r.settings.n, 3);
	expect(&r, "SysProfile", "PerfOptimized", NULL, SETTING_RW);
	expect(&r, "ProcTurboMode", "Enabled", NULL, SETTING_LOCKED);
	expect(&r, "Proc1Brand", "CPU", NULL, SETTING_READ_ONLY);
	bios_reading_release(&r);
}

static void redfish_values_keep_their_types(void **unused)
{
	static const char text[] =
		"{\"@odata.id\":\"/redfish/v1/Systems/1/Bios\",\"Attributes\":{"
		"\"SysProfile\":\"PerfOptimized\",\"SysPassword\":null,"
		"\"Proc1NumCores\":64,\"EnableX\":false,\"BootSeq\":\"\","
		"\"Half\":0.5,\"A@odata.type\":\"x\"},\"Name\":\"x\"}";
	struct bios_reading r;
	struct settings again = {0};
	struct err e = {0};
	const struct setting *s;

	(void)unused;
	read_text(&r, "redfish-json", text);
	assert_null(r.error);
	assert_int_equal(r.settings.n, 6);
	expect(&r, "SysPassword", NULL, NULL, SETTING_RW);
	expect(&r, "Proc1NumCores", "64", NULL, SETTING_RW);
	expect(&r, "EnableX", "false", NULL, SETTING_RW);
	expect(&r, "BootSeq", "", NULL, SETTING_RW);
	/* through the record and back */
	assert_int_equal(
		settings_read(&again, settings_json(&r.settings, &r.arena), &r.arena, &e),
		0);
	assert_int_equal(again.n, 6);
	s = settings_find(&again, "Proc1NumCores");
	assert_true(s->current.literal);
	assert_string_equal(s->current.text, "64");
	s = settings_find(&again, "SysProfile");
	assert_false(s->current.literal);
	assert_null(settings_find(&again, "SysPassword")->current.text);
	settings_release(&again);
	bios_reading_release(&r);
}

static void redfish_answers_without_attributes_are_errors(void **unused)
{
	static const char *const texts[][2] = {
		{"{\"error\":{\"code\":\"1\",\"message\":{\"lang\":\"en-us\",\"value\":"
		 "\"Request URI is invalid\"}}}",
		 "no BIOS attributes returned, but an error: Request URI is invalid"},
		{"{\"error\":{\"@Message.ExtendedInfo\":[{\"Message\":\"no session\"}]}}",
		 "no BIOS attributes returned, but an error: no session"},
		{"{\"@odata.id\":\"/redfish/v1/Systems/1/Bios\",\"Attributes\":{}}",
		 "no BIOS attributes returned"},
		{"{\"@odata.id\":\"/redfish/v1/Systems/1/Bios\",\"Attributes\":null}",
		 "no BIOS attributes returned"},
		{"{\"Attributes\":{\"A\":\"1\"", "not JSON, or cut off"},
		{"{\"Attributes\":{\"A\":[1]}}", "attribute 'A' is no value"},
		{"{\"Attributes\":{\"A\":\"1\",\"A\":\"2\"}}", "there twice"},
		{"{\"Attributes\":{\"A\":\"1\"}}\n{\"Attributes\":{}}",
		 "line 2: more than one JSON document"},
		{"{\"@odata.type\":\"#DellAttributes.v1_0_0.DellAttributes\","
		 "\"Attributes\":"
		 "{\"A\":\"1\"}}",
		 "it is #DellAttributes.v1_0_0.DellAttributes, and what is wanted is the "
		 "Bios"},
		{"{\"@odata.id\":\"/redfish/v1/Managers/iDRAC.Embedded.1/Attributes\","
		 "\"Attributes\":{\"A\":\"1\"}}",
		 "it is /redfish/v1/Managers/iDRAC.Embedded.1/Attributes, and"},
		{"{\"@odata.id\":\"/redfish/v1/Systems/1/Bios/Settings\",\"Attributes\":"
		 "{\"A\":\"1\"}}",
		 "expected one Bios resource (/redfish/v1/Systems/ID/Bios) of a node, "
		 "found: "
		 "settings to come"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bios_reading r;

		read_text(&r, "redfish-json", texts[i][0]);
		assert_non_null(r.error);
		if (!strstr(r.error, texts[i][1]))
			fail_msg("%s", r.error);
		bios_reading_release(&r);
	}
	assert_null(bios_source_of("<html><body>login</body></html>", 31));
}

static void old_boards_have_the_attributes_on_top(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_text(&r, "redfish-json",
		  "{\"@odata.type\":\"#Bios.v1_0_0.Bios\",\"Id\":\"Bios\",\"Name\":\"x\","
		  "\"SysProfile\":\"Custom\",\"LogicalProc\":\"Enabled\",\"Links\":{}}");
	assert_null(r.error);
	assert_int_equal(r.settings.n, 2);
	expect(&r, "SysProfile", "Custom", NULL, SETTING_RW);
	bios_reading_release(&r);
}

/* A Bios resource, its settings and the jobs. */
static void read_three(struct bios_reading *r, const char *bios, const char *settings,
		       const char *jobs)
{
	const struct bios_text texts[] = {{settings, strlen(settings), "settings", NULL},
					  {jobs, strlen(jobs), "jobs", NULL},
					  {bios, strlen(bios), "", NULL}};

	bios_read(r, bios_source_find("redfish-json"), texts, 3);
	assert_null(r->error);
}

static void what_is_pending_depends_on_open_jobs(void **unused)
{
	static const char bios[] = "{\"Attributes\":{\"SysProfile\":\"PerfOptimized\","
				   "\"LogicalProc\":\"Disabled\",\"C\":\"1\"}}";
	static const char same[] = "{\"Attributes\":{\"LogicalProc\":\"Disabled\"}}";
	static const char other[] = "{\"Attributes\":{\"LogicalProc\":\"Enabled\","
				    "\"New\":\"2\"}}";
	static const char open[] =
		"{\"Members\":[{\"Id\":\"JID_0\",\"JobType\":\"BIOSConfiguration\","
		"\"JobState\":\"Completed\"},{\"Id\":\"JID_1\",\"JobType\":"
		"\"BIOSConfiguration\",\"JobState\":\"Scheduled\"}]}";
	static const char none[] = "{\"Members\":[{\"Id\":\"JID_2\",\"JobType\":"
				   "\"FirmwareUpdate\",\"JobState\":\"Running\"}]}";
	struct bios_reading r;

	(void)unused;
	read_three(&r, bios, same, open);
	expect(&r, "LogicalProc", "Disabled", "Disabled", SETTING_RW);
	assert_string_equal(r.job, "{\"id\":\"JID_1\",\"state\":\"Scheduled\"}");
	bios_reading_release(&r);
	read_three(&r, bios, same, none);
	expect(&r, "LogicalProc", "Disabled", NULL, SETTING_RW);
	assert_string_equal(r.job, "{}");
	bios_reading_release(&r);
	read_three(&r, bios, other, none);
	expect(&r, "LogicalProc", "Disabled", "Enabled", SETTING_RW);
	expect(&r, "New", NULL, "2", SETTING_RW);
	bios_reading_release(&r);
	/* links say nothing of what they lead to */
	read_three(&r, bios, other,
		   "{\"Members\":[{\"@odata.id\":\"/redfish/v1/JobService/Jobs/1\"}]}");
	assert_null(r.job);
	assert_non_null(strstr(r.remark, "links alone"));
	bios_reading_release(&r);
	/* one that lists everything: only what differs is pending, job or not */
	read_three(&r, bios,
		   "{\"Attributes\":{\"SysProfile\":\"PerfOptimized\","
		   "\"LogicalProc\":\"Enabled\",\"C\":\"1\"}}",
		   open);
	expect(&r, "SysProfile", "PerfOptimized", NULL, SETTING_RW);
	expect(&r, "LogicalProc", "Disabled", "Enabled", SETTING_RW);
	bios_reading_release(&r);
}

static void the_registry_says_what_cannot_be_set(void **unused)
{
	static const char bios[] = "{\"Attributes\":{\"SysProfile\":\"PerfOptimized\","
				   "\"ProcCStates\":\"Disabled\",\"Proc1Id\":\"19-1\","
				   "\"LogicalProc\":\"Enabled\"}}";
	static const char registry[] =
		"{\"RegistryEntries\":{\"Attributes\":[{\"AttributeName\":\"Proc1Id\","
		"\"ReadOnly\":true},{\"AttributeName\":\"LogicalProc\",\"Value\":["
		"{\"ValueName\":\"Enabled\",\"ValueDisplayName\":\"On\"}]}],"
		"\"Dependencies\":[{\"Dependency\":{\"MapFrom\":[{\"MapFromAttribute\":"
		"\"SysProfile\",\"MapFromCondition\":\"NEQ\",\"MapFromProperty\":"
		"\"CurrentValue\",\"MapFromValue\":\"Custom\"}],\"MapToAttribute\":"
		"\"ProcCStates\",\"MapToProperty\":\"ReadOnly\",\"MapToValue\":true}}]}}";
	struct bios_reading r;

	(void)unused;
	read_three(&r, bios, registry, "{\"Members\":[]}");
	expect(&r, "ProcCStates", "Disabled", NULL, SETTING_LOCKED);
	expect(&r, "Proc1Id", "19-1", NULL, SETTING_READ_ONLY);
	expect(&r, "SysProfile", "PerfOptimized", NULL, SETTING_RW);
	assert_string_equal(settings_find(&r.settings, "LogicalProc")->shown, "On");
	bios_reading_release(&r);
}

static void the_system_says_which_sled_it_is(void **unused)
{
	struct bios_reading r;

	(void)unused;
	read_three(&r, "{\"Attributes\":{\"A\":\"1\"}}",
		   "{\"@odata.type\":\"#ComputerSystem.v1_12_0.ComputerSystem\","
		   "\"Oem\":{\"Dell\":{\"DellSystem\":{\"ChassisServiceTag\":\"C1\","
		   "\"NodeID\":\"C1.2\"}}}}",
		   "{\"Members\":[]}");
	assert_string_equal(r.chassis, "{\"chassis\":\"C1\",\"sled\":\"C1.2\"}");
	bios_reading_release(&r);
}

static void like_settings_have_one_fingerprint(void **unused)
{
	static const char *const texts[] = {
		"{\"Attributes\":{\"A\":\"1\",\"B\":\"2\"}}",
		"{\"Attributes\":{\"B\":\"2\",\"A\":\"1\"}}",
		"{\"Attributes\":{\"A\":\"2\",\"B\":\"1\"}}",
	};
	char prints[3][SETTINGS_FINGERPRINT];

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct bios_reading r;

		read_text(&r, "redfish-json", texts[i]);
		settings_fingerprint(&r.settings, NULL, NULL, prints[i]);
		bios_reading_release(&r);
	}
	assert_string_equal(prints[0], prints[1]);
	assert_string_not_equal(prints[0], prints[2]);
	assert_int_equal(strlen(prints[0]), SETTINGS_FINGERPRINT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(racadm_text_has_pending_values_and_noise),
		cmocka_unit_test(an_error_of_racadm_is_no_settings),
		cmocka_unit_test(racadm_text_that_is_not_whole_is_not_taken_as_whole),
		cmocka_unit_test(a_shell_may_greet_before_racadm_speaks),
		cmocka_unit_test(racadm_tells_of_jobs),
		cmocka_unit_test(scp_xml_has_values_in_comments),
		cmocka_unit_test(xml_that_is_hostile_is_refused),
		cmocka_unit_test(scp_json_says_what_is_locked),
		cmocka_unit_test(redfish_values_keep_their_types),
		cmocka_unit_test(redfish_answers_without_attributes_are_errors),
		cmocka_unit_test(old_boards_have_the_attributes_on_top),
		cmocka_unit_test(what_is_pending_depends_on_open_jobs),
		cmocka_unit_test(the_registry_says_what_cannot_be_set),
		cmocka_unit_test(the_system_says_which_sled_it_is),
		cmocka_unit_test(like_settings_have_one_fingerprint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
