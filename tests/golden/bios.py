#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay bios on saved files as a user sees it: bios.py ASSAY DATA."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ASSAY = None
RESTART = "racadm serveraction powercycle"
DATA = None


def assay(*words):
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "COLUMNS": "400"}
    return subprocess.run([ASSAY, "bios", *map(str, words)], env=env, check=False,
                          capture_output=True, text=True, timeout=200)


class Bios(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="assay-bios-"))
        self.addCleanup(shutil.rmtree, self.top)

    def show(self, *files, status=0):
        done = assay("show", *files, "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_show_gives_an_object_for_each_node(self):
        nodes = {o["node"]: o for o in self.show(DATA / "fleet", status=3)}
        self.assertEqual(sorted(nodes), ["n1", "n2", "n3", "n4", "n5", "n6"])
        self.assertEqual(nodes["n1"]["source"], "scp-xml")
        self.assertEqual(nodes["n1"]["attributes"]["ProcTurboMode"],
                         {"current": "Enabled", "pending": None, "state": "locked"})
        self.assertEqual(nodes["n1"]["attributes"]["Proc1Brand"]["state"], "read-only")
        self.assertEqual(nodes["n2"]["source"], "racadm")
        self.assertEqual(len(nodes["n2"]["attributes"]), 4)
        self.assertEqual(nodes["n3"]["job"], {"id": "JID_3", "state": "Scheduled"})
        self.assertEqual(nodes["n3"]["attributes"]["LogicalProc"],
                         {"current": "Disabled", "pending": "Disabled", "state": "rw"})
        self.assertIsNone(nodes["n4"]["job"])
        self.assertEqual(nodes["n5"]["error"], "no BIOS attributes returned")
        self.assertIn("login page", nodes["n6"]["error"])
        self.assertEqual(nodes["n6"]["attributes"], {})

    def test_check_names_what_is_wrong_and_nothing_else(self):
        done = assay("check", DATA / "fleet", "--profile", DATA / "test.yaml")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0],
                         "FAIL: BIOS settings of 1 of 6 nodes are good, profile test")
        expected = [
            ("FAIL", "n2: MISMATCH: LogicalProc is Enabled, profile test wants Disabled: "
                     "SMT is off on HPC nodes"),
            ("ERROR", "n5: UNREADABLE: redfish-json: no BIOS attributes returned"),
            ("ERROR", "n6: UNREADABLE: file: "),
            ("WARN", "n3: PENDING: LogicalProc is Disabled as wanted, but pending as "
                     "well; BIOS job JID_3 is Scheduled: reboot, then check again"),
            ("WARN", "n4: PENDING: NumaNodesPerSocket is 4, pending is 1; no job is "
                     "queued: a reboot will not apply it"),
            ("PASS", "n[1,3]: 4 of 4 settings are as profile test wants"),
            ("PASS", "n2: 3 of 4 settings are as profile test wants"),
            ("PASS", "n4: 4 of 4 settings are as profile test wants; ProcTurboMode is "
                     "enabled, in other letters than wanted"),
        ]
        self.assertEqual(len(lines) - 1, len(expected), done.stdout)
        for line, (word, text) in zip(lines[1:], expected):
            self.assertTrue(line.startswith(word), line)
            self.assertIn(text, line)

    def probe(self, name, **facts):
        """The record of assay-probe of one node."""
        path = self.top / f"{name}.facts.json"
        path.write_text(json.dumps({"kind": "node", "node": name, "facts": facts}),
                        encoding="utf-8")
        return path

    def check(self, *words, status):
        done = assay("check", *words, "--format", "json")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        out = json.loads(done.stdout)
        self.assertEqual(out["exit"], status)
        return {o["name"]: o for o in out["nodes"]}, out

    def test_a_node_that_gave_nothing_is_never_good(self):
        self.probe("n1", virtual="kvm")
        self.probe("n2", cpu={"smt_control": "on"})
        done = assay("check", self.top)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("n1: UNREADABLE: os: a virtual machine (kvm) shows nothing",
                      done.stdout)
        nodes, out = self.check(self.top, status=3)
        self.assertEqual([nodes[n]["verdict"] for n in ("n1", "n2")],
                         ["ERROR", "UNJUDGED"])
        self.assertEqual(out["verdict"], "ERROR")
        self.assertEqual([f["result"] for f in out["findings"]], ["UNREADABLE"])

    def test_what_could_not_be_read_is_said_by_all(self):
        self.probe("n1", virtual="kvm")
        for words in (("show",), ("diff",), ("remedy", "--profile", "nps4")):
            done = assay(*words, self.top)
            self.assertEqual(done.returncode, 3, done)
            self.assertIn("a virtual machine (kvm) shows nothing", done.stdout)
            self.assertNotIn("no difference", done.stdout)
            self.assertNotIn("nothing to change", done.stdout)
        shutil.copy(DATA / "fleet" / "n1.xml", self.top / "n2.xml")
        done = assay("remedy", self.top, "--profile", "nps4")
        self.assertEqual(done.returncode, 3, done)
        done = assay("diff", self.top / "n2.xml")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("1 node, ", done.stdout)
        self.assertIn("no other to compare it with", done.stdout)

    def dump(self, name, **attributes):
        """A Bios resource of its own kind of name."""
        path = self.top / name
        path.write_text(json.dumps({"Attributes": attributes}), encoding="utf-8")
        return path

    def test_what_is_no_dump_is_said_and_skipped(self):
        self.dump("n1.json", A="1")
        self.dump("n2", A="1")
        for name in ("n1.json.bak", "n1.json~", "n1.xml.1", ".hidden", "n 1.json"):
            self.dump(name, A="2")
        for name in ("README.txt", "notes"):
            (self.top / name).write_text("n1 is the good one\n", encoding="utf-8")
        (self.top / "old").mkdir()
        (self.top / "n3.json").symlink_to("nowhere")
        (self.top / "gone").symlink_to("nowhere")
        os.mkfifo(self.top / "n4.txt")
        done = assay("show", self.top, "--format", "json")
        self.assertEqual(done.returncode, 3, done)
        skipped = done.stderr.splitlines()
        self.assertEqual([line.split("'")[1].rpartition("/")[2] for line in skipped],
                         ["README.txt", "gone", "n 1.json", "n1.json.bak", "n1.json~",
                          "n1.xml.1", "notes", "old"])
        nodes = {o["node"]: o for o in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(sorted(nodes), ["n1", "n2", "n3", "n4"])
        self.assertIn("a link to nothing", nodes["n3"]["error"])
        self.assertIn("not a regular file", nodes["n4"]["error"])

    def test_the_same_file_is_read_once(self):
        path = self.dump("n1.json", A="1")
        nodes = self.show(path, self.top, f"{self.top}/", path)
        self.assertEqual([n["node"] for n in nodes], ["n1"])

    def test_a_folder_that_cannot_be_read_is_a_usage_error(self):
        self.dump("n1.json", A="1")
        self.top.chmod(0)
        self.addCleanup(self.top.chmod, 0o700)
        if os.access(self.top, os.R_OK):
            self.skipTest("root reads everything")
        self.assertEqual(assay("show", self.top).returncode, 2)

    def test_nodes_that_were_asked_for_are_taken_or_missed(self):
        for i in (1, 2, 3, 4, 10):
            self.dump(f"n{i}.json", NumaNodesPerSocket="4")
        done = assay("show", self.top, "--nodes", "n[2-3,9]", "--format", "json")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("left out, not among the nodes asked for: n[1,4,10]", done.stderr)
        nodes = {o["node"]: o for o in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(sorted(nodes), ["n2", "n3", "n9"])
        self.assertIn("no file of it", nodes["n9"]["error"])
        site = self.top / "site.yaml"
        site.write_text("site: s\nnodes: n[1-5]\n", encoding="utf-8")
        _, out = self.check(self.top, "--site", site, "--profile", "nps4", status=3)
        self.assertIn(("n5", "UNREADABLE"),
                      {(f["node"], f["result"]) for f in out["findings"]})
        # one file is looked at for itself, not as all there is of the site
        nodes, _ = self.check(self.top / "n1.json", "--site", site, "--profile", "nps4",
                              status=0)
        self.assertEqual(sorted(nodes), ["n1"])

    def test_a_saved_probe_beside_a_dump_may_contradict_it(self):
        self.dump("n1.json", LogicalProc="Disabled")
        self.probe("n1", cpu={"smt_control": "on"})
        _, out = self.check(self.top, status=1)
        self.assertEqual([f["result"] for f in out["findings"]], ["CONTRADICTED"])
        self.assertEqual(out["findings"][0]["shown"], "Enabled")
        (self.top / "n1.facts.json").write_text('{"kind":"node","node":"n1","facts":{"c',
                                                encoding="utf-8")
        own = self.profile("p", "profile: p\nattributes:\n"
                           "  LogicalProc: {want: Disabled, why: w}\n")
        done = assay("check", self.top / "n1.json", self.top / "n1.facts.json",
                     "--profile", own)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("what its system shows is not known: not the record of a node",
                      done.stdout)

    def test_files_of_two_kinds_of_one_node_are_both_named(self):
        self.dump("n1.json", A="1")
        shutil.copy(DATA / "fleet" / "n1.xml", self.top / "n1.xml")
        node, = self.show(self.top, status=3)
        self.assertIn("n1.xml' is scp-xml, and '", node["error"])
        self.assertIn("n1.json' is redfish-json", node["error"])
        (self.top / "n1.json").unlink()
        shutil.copy(DATA / "fleet" / "n1.xml", self.top / "n1.scp.xml")
        node, = self.show(self.top)
        self.assertIn("was saved twice", node["remark"])

    def test_two_texts_of_racadm_must_agree(self):
        head = "[Key=BIOS.Setup.1-1#ProcSettings]\n"
        (self.top / "n1.txt").write_text(head + "LogicalProc=Enabled\nA=1\n",
                                         encoding="utf-8")
        (self.top / "n1.racadm.txt").write_text(head + "LogicalProc=Disabled\n",
                                                encoding="utf-8")
        node, = self.show(self.top, status=3)
        self.assertRegex(node["error"], "LogicalProc is there twice: 'Disabled' at .*"
                         "/n1.racadm.txt:2, then 'Enabled' at .*/n1.txt:2$")
        (self.top / "n1.racadm.txt").write_text(head + "LogicalProc=Enabled\n",
                                                encoding="utf-8")
        node, = self.show(self.top)
        self.assertEqual(node["remark"],
                         "1 attribute is there twice, with the same value")

    def test_what_moves_a_terminal_is_escaped(self):
        bad = "a\u009b31m\u202eb\u2066c"
        for i in (1, 2):
            self.dump(f"n{i}.json", LogicalProc=bad + str(i))
        (self.top / "p.yaml").write_text(
            "profile: p\nattributes:\n  LogicalProc: {want: \"\\u202ex\", why: w}\n",
            encoding="utf-8")
        for word in ("show", "check", "diff", "remedy"):
            for form in ("table", "json"):
                done = assay(word, self.top, "--profile", self.top / "p.yaml",
                             "--format", form)
                self.assertTrue(done.stdout.isascii(), (word, form))
        for node in self.show(self.top / "n1.json"):  # and nothing is lost
            self.assertEqual(node["attributes"]["LogicalProc"]["current"], bad + "1")

    def profile(self, name, text):
        path = self.top / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def refused(self, profile, text):
        dump = self.top / "n1.json"
        done = assay("check", dump, "--profile", profile)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(text, done.stderr)

    def test_what_a_profile_may_include(self):
        self.dump("n1.json", LogicalProc="Disabled", NewName="x", A="x")
        own = self.profile("hpc", "profile: site-hpc\ninclude: hpc\nattributes:\n"
                           "  NewName: {want: x, why: w}\n")
        _, out = self.check(self.top / "n1.json", "--profile", own, status=0)
        matched = [f["attribute"] for f in out["findings"] if f["result"] == "MATCH"]
        self.assertEqual(matched, ["LogicalProc", "NewName"])
        entry = "attributes:\n  A: {want: x, why: w}\n"
        for i in range(10):
            self.profile(f"p{i}", f"profile: p{i}\ninclude: p{i + 1}\n{entry}")
        self.profile("p10", f"profile: p10\n{entry}")
        self.refused(self.top / "p0.yaml", "more than 8 profiles, one within the other")
        _, out = self.check(self.top / "n1.json", "--profile", self.top / "p2.yaml",
                            status=0)
        self.profile("p10", f"profile: p10\ninclude: p9\n{entry}")
        self.refused(self.top / "p5.yaml", "'p9' includes itself")
        self.refused(self.profile("q", f"profile: hpc\ninclude: hpc\n{entry}"),
                     "has a name of its own")
        self.refused(self.profile("q", "profile: q\nattributes:\n"
                                  "  A: {want: x, also: [B], why: w}\n"
                                  "  B: {want: y, why: w}\n"),
                     "q.yaml:4:3: 'B' is also a name of 'A'")

    def test_a_name_that_is_nearly_one_is_suggested(self):
        self.dump("n1.json", LogicalProc="Disabled", Other="x", NoSixx="x")
        own = self.profile("p", "profile: p\nattributes:\n"
                           "  LogicalProcs: {want: Disabled, why: w}\n"
                           "  Other: {want: x, why: w}\n"
                           "  NoSuch: {want: x, why: w}\n"
                           "  Othe: {want: x, optional: true, why: w}\n")
        done = assay("check", self.top / "n1.json", "--profile", own)
        self.assertIn("LogicalProcs is not an attribute of this board (did you mean "
                      "LogicalProc?)", done.stdout)
        self.assertIn("NoSuch is not an attribute of this board, profile", done.stdout)
        self.assertIn("1 of 3 settings are as profile p wants", done.stdout)

    def test_a_profile_for_other_boards_is_one_row(self):
        self.dump("n1.json", A="1")
        self.dump("n2.json", A="1", LogicalProc="Disabled")
        done = assay("check", self.top, "--profile", "hpc")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("n1: nothing the profile wants is among its settings", done.stdout)
        rows = [line for line in done.stdout.splitlines() if "ABSENT" in line]
        self.assertEqual(len(rows), 2, done.stdout)
        self.assertIn("n1: ABSENT: LogicalProc is not", rows[0])
        self.assertRegex(rows[1], r"n\[1-2\]: ABSENT: [0-9]+ attributes that profile hpc "
                         "wants: SysProfile, NumaNodesPerSocket, ")
        nodes, out = self.check(self.top, "--profile", "hpc", status=3)
        self.assertEqual([nodes[n]["verdict"] for n in ("n1", "n2")],
                         ["UNJUDGED", "WARN"])
        self.assertGreater(len(out["findings"]), 20)

    def test_what_is_of_one_node_alone_is_no_difference(self):
        for i in range(1, 4):
            self.dump(f"n{i}.json", SerialNumber=f"S{i}", ServerName=f"n{i}",
                      ServerAssetTag=f"T{i}", NicMacAddress=f"00:0{i}", LogicalProc="x")
        self.assertEqual(assay("diff", self.top).returncode, 0)
        done = assay("check", self.top)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)

    def test_what_waits_is_a_difference(self):
        head = "[Key=BIOS.Setup.1-1#ProcSettings]\n"
        for i, value in enumerate(("Enabled", "Enabled (Pending Value=Disabled)")):
            (self.top / f"n{i}.txt").write_text(
                f"{head}LogicalProc={value}\nA=1\n", encoding="utf-8")
        done = assay("diff", self.top)
        self.assertEqual((done.returncode, done.stdout), (
            1, "LogicalProc\n    Enabled  on n0\n    Enabled, pending: Disabled  on n1\n"))
        own = self.profile("p", "profile: p\nattributes:\n"
                           "  LogicalProc: {want: Disabled, why: w}\n")
        done = assay("remedy", self.top / "n1.txt", "--profile", own)
        self.assertIn(RESTART, done.stdout)
        self.assertIn("# nobody looked for jobs", done.stdout)
        done = assay("show", self.top / "n1.txt")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()],
                         ["n1", "A", "LogicalProc"])

    def test_a_file_of_no_kind_shows_how_it_begins(self):
        (self.top / "n1.txt").write_text("\nssh: connect to host n1-idrac: Connection "
                                         "refused\nmore", encoding="utf-8")
        (self.top / "n2.json").write_bytes(b"\x1f\x8b\x08\0packed")
        self.dump("n3.json.gz", A="1")
        (self.top / "n4.json").write_text('{"A": "1"}', encoding="utf-8")
        done = assay("show", self.top, "--format", "json")
        nodes = {o["node"]: o for o in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(sorted(nodes), ["n1", "n2", "n4"])
        self.assertIn("it begins with 'ssh: connect to host n1-idrac: Connection refused'",
                      nodes["n1"]["error"])
        self.assertIn("packed; unpack it first", nodes["n2"]["error"])
        self.assertIn("there is no 'Attributes' in it", nodes["n4"]["error"])
        self.assertIn("packed: unpack it", done.stderr)

    def test_marks_of_windows(self):
        path = self.dump("n1.json", A="1")
        text = path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8-sig")
        self.dump("n2.json", A="1").write_text(text, encoding="utf-16")
        (self.top / "n3.json").touch()
        nodes = {n["node"]: n for n in self.show(self.top, status=3)}
        self.assertEqual(nodes["n1"]["attributes"]["A"]["current"], "1")
        self.assertIn("UTF-16; save it as UTF-8", nodes["n2"]["error"])
        self.assertIn("an empty file", nodes["n3"]["error"])

    def test_what_only_warns_ends_with_0(self):
        profile = self.top / "p.yaml"
        profile.write_text("profile: p\nattributes:\n  LogicalProc: {want: Disabled, "
                           "severity: warn, why: w}\n", encoding="utf-8")
        nodes, _ = self.check(DATA / "fleet" / "n2.racadm.txt", "--profile", profile,
                              status=0)
        self.assertEqual(nodes["n2"]["verdict"], "WARN")
        for i in range(1, 5):
            (self.top / f"n{i}.json").write_text(json.dumps({"Attributes": {
                "LogicalProc": "Enabled" if i == 4 else "Disabled", "Sriov": "On"}}),
                encoding="utf-8")
        profile.unlink()
        done = assay("check", self.top)
        self.assertEqual((done.returncode, done.stdout.split(":")[0]), (0, "WARN"), done)

    def test_check_as_json(self):
        done = assay("check", DATA / "fleet", "--profile", DATA / "test.yaml",
                     "--format", "json")
        self.assertEqual(done.returncode, 1)
        out = json.loads(done.stdout)
        self.assertEqual((out["verdict"], out["exit"], out["profile"]),
                         ("FAIL", 1, "test"))
        words = {o["name"]: o["verdict"] for o in out["nodes"]}
        self.assertEqual(words, {"n1": "PASS", "n2": "FAIL", "n3": "WARN", "n4": "WARN",
                                 "n5": "ERROR", "n6": "ERROR"})
        found = {(o["node"], o["result"]): o for o in out["findings"]
                 if o["result"] != "MATCH"}
        self.assertEqual(sorted(found), [
            ("n2", "MISMATCH"), ("n3", "PENDING"), ("n4", "PENDING"),
            ("n5", "UNREADABLE"), ("n6", "UNREADABLE")])
        self.assertEqual(found["n2", "MISMATCH"]["attribute"], "LogicalProc")
        self.assertEqual(found["n2", "MISMATCH"]["wanted"], "Disabled")

    def test_diff_names_values_and_who_has_them(self):
        done = assay("diff", *sorted((DATA / "fleet").glob("n[1-4].*")))
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn("LogicalProc\n    Disabled  on n[1,3-4]\n    Enabled  on n2\n",
                      done.stdout)
        self.assertRegex(done.stdout, "\non n1, not on n\\[2-4\\]: .*Proc1Brand")
        self.assertNotIn("(absent)", done.stdout)
        done = assay("diff", DATA / "fleet" / "n3.bios.json", "--format", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["differ"]), (0, []))
        done = assay("diff", DATA / "fleet", "--format", "json")
        self.assertEqual(len(json.loads(done.stdout)["unreadable"]), 2)

    def test_remedy_goes_from_parent_to_child(self):
        (self.top / "n1.json").write_text(json.dumps({"Attributes": {
            "SysProfile": "PerfOptimized", "ProcCStates": "Disabled",
            "Sme": "Disabled", "Snp": "Disabled", "Count": 3}}), encoding="utf-8")
        (self.top / "p.yaml").write_text(
            "profile: p\nattributes:\n"
            "  Snp: {want: Enabled, why: w}\n"
            "  Sme: {want: Enabled, why: w}\n"
            "  Count: {want: '4', why: w}\n"
            "  SysProfile: {want: Custom, why: w}\n"
            "  ProcCStates: {want: Enabled, why: w}\n", encoding="utf-8")
        done = assay("remedy", self.top / "n1.json", "--profile", self.top / "p.yaml",
                     "--format", "json")
        self.assertEqual(done.returncode, 0, done)
        node = json.loads(done.stdout)[0]
        self.assertEqual(node["racadm"], [
            "racadm set BIOS.ProcSettings.Sme Enabled",
            "racadm set BIOS.GROUP.Count 4",
            "racadm set BIOS.SysProfileSettings.SysProfile Custom",
            "racadm jobqueue create BIOS.Setup.1-1", RESTART,
            "racadm set BIOS.ProcSettings.Snp Enabled",
            "racadm set BIOS.SysProfileSettings.ProcCStates Enabled",
            "racadm jobqueue create BIOS.Setup.1-1", RESTART])
        self.assertEqual([q["body"] for q in node["redfish"] if q["method"] == "PATCH"], [
            {"Attributes": {"Sme": "Enabled", "Count": 4, "SysProfile": "Custom"}},
            {"Attributes": {"Snp": "Enabled", "ProcCStates": "Enabled"}}])
        # the other way round the parent brings its children's values
        (self.top / "n1.json").write_text(json.dumps({"Attributes": {
            "SysProfile": "Custom", "ProcCStates": "Enabled"}}), encoding="utf-8")
        (self.top / "p.yaml").write_text(
            "profile: p\nattributes:\n"
            "  SysProfile: {want: PerfOptimized, why: w}\n"
            "  ProcCStates: {want: Disabled, why: w}\n", encoding="utf-8")
        done = assay("remedy", self.top / "n1.json", "--profile", self.top / "p.yaml")
        self.assertEqual(done.stdout.splitlines()[:4], [
            "n1:", "  racadm set BIOS.SysProfileSettings.SysProfile PerfOptimized",
            "  racadm jobqueue create BIOS.Setup.1-1", "  " + RESTART])
        self.assertIn("# ProcCStates gets its value from SysProfile=PerfOptimized",
                      done.stdout)
        done = assay("remedy", self.top / "n1.json")
        self.assertEqual(done.returncode, 2)

    def remedy(self, profile, **files):
        """Steps for node n1, from files n1.NAME.json."""
        (self.top / "p.yaml").write_text(
            "profile: p\nattributes:\n" + profile, encoding="utf-8")
        words = []
        for name, content in files.items():
            words.append(self.top / f"n1.{name}.json")
            words[-1].write_text(json.dumps(content), encoding="utf-8")
        done = assay("remedy", *words, "--profile", self.top / "p.yaml", "--format",
                     "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)[0]

    def test_remedy_asks_a_service_in_its_own_way(self):
        system = "/redfish/v1/Systems/1"
        bios = {"@odata.id": system + "/Bios", "@odata.type": "#Bios.v1_0_4.Bios",
                "@Redfish.Settings": {"SettingsObject": {
                    "@odata.id": system + "/Bios/Pending"}},
                "Attributes": {"ProcHyperthreading": "Enabled", "Turbo": "On"}}
        node = self.remedy("  ProcHyperthreading: {want: Disabled, why: w}\n", bios=bios)
        self.assertEqual(node["racadm"], [])
        self.assertEqual(node["redfish"], [
            {"method": "PATCH", "uri": system + "/Bios/Pending",
             "body": {"Attributes": {"ProcHyperthreading": "Disabled"}}},
            {"method": "POST", "uri": system + "/Actions/ComputerSystem.Reset",
             "body": {"ResetType": "GracefulRestart"}}])
        # what waits and is not wanted: the present value is written again
        node = self.remedy("  Turbo: {want: [\"On\"], why: w}\n", bios=bios,
                           settings={"Attributes": {"Turbo": "Off"}})
        self.assertEqual(node["redfish"], [
            {"method": "PATCH", "uri": system + "/Bios/Pending",
             "body": {"Attributes": {"Turbo": "On"}}}])

    def test_remedy_deletes_the_job_before_it_clears(self):
        profile = "  LogicalProc: {want: Disabled, why: w}\n"
        bios = {"Attributes": {"LogicalProc": "Disabled"}}
        job = {"Id": "JID_1", "JobType": "BIOSConfiguration", "JobState": "Scheduled"}
        waits = {"Attributes": {"LogicalProc": "Enabled"}}
        node = self.remedy(profile, bios=bios, settings=waits, jobs={"Members": [job]})
        self.assertEqual(node["racadm"], ["racadm jobqueue delete -i JID_1",
                                          "racadm clearpending BIOS.Setup.1-1"])
        self.assertEqual(node["redfish"][0]["body"], {"JobID": "JID_1"})
        self.assertTrue(node["redfish"][0]["uri"].endswith("DellJobService.DeleteJobQueue"))
        node = self.remedy(profile, bios=bios, settings=waits,
                           jobs={"Members": [{**job, "Id": "1; reboot"}]})
        self.assertEqual(node["racadm"][0], "racadm jobqueue delete -i unnamed")
        node = self.remedy(profile, bios=bios, settings=waits,
                           jobs={"Members": [{**job, "JobState": "Running"}]})
        self.assertEqual(node["racadm"], ["racadm jobqueue view -i JID_1"])
        self.assertEqual(node["notes"], ["job JID_1 is Running: wait until it has ended, "
                                         "then ask again"])

    def test_what_waits_may_be_in_other_letters(self):
        node = self.remedy("  LogicalProc: {want: [No, Disabled], why: w}\n",
                           bios={"Attributes": {"LogicalProc": "Enabled"}},
                           settings={"Attributes": {"LogicalProc": "disabled"}},
                           jobs={"Members": []})
        self.assertEqual(node["racadm"],
                         ["racadm jobqueue create BIOS.Setup.1-1", RESTART])

    def test_shipped_profiles_are_found_by_name(self):
        done = subprocess.run([ASSAY, "list", "profiles"], check=True, timeout=200,
                              capture_output=True, text=True)
        names = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertIn("nps4", names)
        self.assertRegex(done.stdout, "milan-hpc +[0-9]+ attributes, those of hpc among")
        done = assay("check", DATA / "fleet" / "n1.xml", "--profile", "nps4")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("1 of 1 settings are as profile nps4 wants", done.stdout)
        done = assay("check", DATA / "fleet" / "n1.xml", "--profile", "nsp4")
        self.assertEqual(done.returncode, 2, done)
        far = assay("check", DATA / "fleet" / "n1.xml", "--profile", "another")
        self.assertIn("see assay list profiles", far.stderr)
        self.assertIn("unknown BIOS profile 'nsp4', did you mean 'nps4'?", done.stderr)

    def test_large_and_hostile_files_are_refused_early(self):
        big = self.top / "n1.json"
        with open(big, "wb") as out:
            out.truncate(100 << 20)
        bomb = self.top / "n2.xml"
        bomb.write_text('<!DOCTYPE s [<!ENTITY a "0123456789">' +
                        "".join(f'<!ENTITY a{i} "{"&a" + str(i - 1 or "") + ";"}'
                                f'{"&a" + str(i - 1 or "") + ";"}">'
                                for i in range(1, 40)) +
                        ']><SystemConfiguration><Component FQDD="BIOS.Setup.1-1">'
                        '<Attribute Name="A">&a39;</Attribute></Component>'
                        "</SystemConfiguration>", encoding="utf-8")
        nodes = {o["node"]: o for o in self.show(self.top, status=3)}
        self.assertIn("16777216", nodes["n1"]["error"])
        self.assertIn("DOCTYPE", nodes["n2"]["error"])

    def test_what_is_not_there_is_a_usage_error(self):
        for words in (("check", self.top / "nope"), ("check", self.top), ("chekc",),
                      ("show", DATA / "fleet" / "n1.xml", "--format", "yaml"), ()):
            done = assay(*words)
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    ASSAY = os.path.abspath(sys.argv.pop(1))
    DATA = pathlib.Path(sys.argv.pop(1))
    unittest.main()
