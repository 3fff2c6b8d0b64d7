#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`assay run` as its users meet it, with the test launcher: exit status, full and
read-only disks, terminals and pipes, signals, resume.   run_cli.py BINDIR [TEST...]"""
import contextlib
import glob
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = ""
PLAN = """plan: two
requires: []
stages:
  - name: a
    steps:
      - {kernel: fake, name: x, on: node, place: all-cores}
  - name: b
    steps:
      - {kernel: fake, name: y, on: node, place: 1-per-node, limit: 30s}
"""
BASELINE = """baseline: fake
metrics:
  fake.rate: {ref: 100 GB/s, warn: -4 %, fail: -7 %, from: "the fake kernel's default"}
  fake.time: {ref: 1 us, warn: +10 %, fail: +50 %, from: "the fake kernel's default"}
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="assay-cli-")
        self.addCleanup(shutil.rmtree, self.base, True)
        self.out = self.path("run")
        self.plan = self.write("two.yaml", PLAN)
        self.baseline = self.write("base.yaml", BASELINE)
        self.script = self.write("script", "* ok\n")

    def tearDown(self):
        # whatever a test did: no process of its runs is left, for longer than it takes
        # to end
        deadline = time.monotonic() + 20
        while self.marked() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.marked(), [])

    def marked(self):
        """Processes that play by our script."""
        found = []
        for env in glob.glob("/proc/[0-9]*/environ"):
            with contextlib.suppress(OSError):
                with open(env, "rb") as f:
                    if self.script.encode() in f.read():
                        found.append(int(env.split("/")[2]))
        return found

    def path(self, name):
        return os.path.join(self.base, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def play(self, text):
        """The script from now on; kernels that start meanwhile read the old one or this."""
        os.replace(self.write("script.new", text), self.script)

    def words(self, *words, out=True):
        argv = [os.path.join(BIN, "assay"), "run", self.plan, "--launcher", "test",
                "--allow-root", "--baseline", self.baseline, *words]
        return argv + (["-o", self.out] if out else [])

    def env(self, **more):
        env = {k: v for k, v in os.environ.items()
               if k not in ("NO_COLOR", "COLUMNS", "TERM") and not k.startswith("SLURM_")}
        return dict(env, ASSAY_TEST_LAUNCHER=self.script, LC_ALL="C.UTF-8", **more)

    def assay(self, *words, argv=None, cwd=None, env=None, timeout=200):
        return subprocess.run(argv or self.words(*words), env=env or self.env(), cwd=cwd,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, check=False)

    def report(self):
        with open(os.path.join(self.out, "report.json"), encoding="utf-8") as f:
            return json.load(f)

    def word(self, node=None):
        """The worst word, whatever else goes on on the machine that plays the nodes."""
        order = ("FAIL", "ERROR", "INCONCLUSIVE", "UNJUDGED", "WARN", "SKIP", "PASS")
        return order[min(order.index(v["verdict"]) for v in self.report()["verdicts"]
                         if v["rule"] not in ("facts", "peers")
                         and node in (None, v.get("node")))]

    def records(self, folder=None):
        path = os.path.join(folder or self.out, "journal.jsonl")
        with open(path, encoding="utf-8") as f:
            return [json.loads(line) for line in f]


class ExitStatus(Case):
    """G01: the table of process exits."""

    def test_all_pass_is_0(self):
        r = self.assay()
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.word(), "PASS")
        self.assertIn(self.report()["verdict"], ("PASS", "WARN"))
        self.assertEqual(self.report()["exit"], 0)

    def test_a_failed_threshold_is_1(self):
        self.play("a/* ok fake.rate=80e9\n")
        r = self.assay()
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertEqual(self.report()["verdict"], "FAIL")

    def test_a_failed_check_of_the_result_is_1(self):
        self.play("b/* failed\n")
        self.assertEqual(self.assay().returncode, 1)

    def test_a_missing_result_is_3_and_said(self):
        self.play("b/* no-result\n")
        r = self.assay()
        self.assertEqual(r.returncode, 3, r.stdout)
        self.assertEqual(self.report()["verdict"], "ERROR")

    def test_fail_wins_over_error(self):
        self.play("a/* ok fake.rate=80e9\nb/* no-result\n")
        self.assertEqual(self.assay().returncode, 1)

    def test_a_launcher_that_refuses_is_3_not_1_and_tried_once_more(self):
        self.play("b/* refuse not enough slots\n")
        r = self.assay()
        self.assertEqual(r.returncode, 3)
        launches = [s for s in self.records() if s["kind"] == "step"
                    and s["event"] == "started" and s["key"].startswith("b/")]
        self.assertEqual(len(launches), 2)
        self.assertIn("not enough slots", json.dumps(self.report()["verdicts"]))
        # what comes on top is counted apart: the plan's own steps stay two
        self.assertIn(b"[2/2 steps and 1/1 more, ", r.stderr)
        self.assertNotIn(b"/3 steps", r.stderr)

    def test_what_a_kernel_itself_refuses_is_not_tried_again(self):
        self.play("b/* exit 2 assay-fake: no such thing\n")
        self.assertEqual(self.assay().returncode, 3)
        launches = [s for s in self.records() if s["kind"] == "step"
                    and s["event"] == "started" and s["key"].startswith("b/")]
        self.assertEqual(len(launches), 1)

    def test_a_hung_kernel_is_3_within_its_limit(self):
        self.play("b/* hang-term\n")
        r = self.assay("--set", "b.limit=2s")
        self.assertEqual(r.returncode, 3)
        self.assertIn("timeout", [v.get("cause") for v in self.report()["verdicts"]])

    def test_every_way_to_fail_is_3_and_the_other_step_is_judged(self):
        for way in ("half-line", "torn", "garbage", "no-sample", "exit 7", "signal 11",
                    "die 9", "world 3", "rank-missing", "rank-twice", "miscount", "no-end",
                    "after-end", "undeclared", "unit", "oversized", "forged",
                    "invalid 2 threads on 1 CPU"):
            with self.subTest(way=way):
                shutil.rmtree(self.out, True)
                self.play(f"b/* {way}\n")
                r = self.assay()
                self.assertEqual(r.returncode, 3, (way, r.stdout, r.stderr))
                words = {v["metric"]: v["verdict"] for v in self.report()["verdicts"]
                         if v.get("metric") and v["rule"] == "baseline"
                         and "a/x" in json.dumps(v)}
                self.assertEqual(words.get("fake.rate"), "PASS", way)

    def test_no_reference_for_anything_is_3(self):
        self.baseline = self.write("base.yaml", BASELINE.replace("baseline: fake",
                                                                 "baseline: fake\nmatch: {cpu: AMD EPYC 7713}"))
        self.assertEqual(self.assay().returncode, 3)

    def test_required_but_not_judged_is_3(self):
        self.plan = self.write("two.yaml", PLAN.replace("[]", "[stream.triad]"))
        self.assertIn(self.assay().returncode, (2, 3))

    def test_a_node_that_does_not_answer_is_3(self):
        """F05, G01: 3 of 4 nodes reported."""
        self.play("reach@n3 exit 255 ssh: connect to host n3: No route to host\n* ok\n")
        r = self.assay("--nodes", "n[1-4]")
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertIn(b"3 of 4 nodes reported", r.stdout)
        words = {n["name"]: self.word(n["name"]) for n in self.report()["nodes"]}
        self.assertEqual(words, {"n1": "PASS", "n2": "PASS", "n3": "ERROR", "n4": "PASS"})

    def test_remote_status_signal_and_transport_are_told_apart(self):
        self.play("reach@n1 exit 1\nreach@n2 exit 139\nreach@n3 exit 255\n"
                  "reach@n4 signal 9\n* ok\n")
        r = self.assay("--nodes", "n[1-4]")
        self.assertEqual(r.returncode, 3, r.stderr)
        lost = {e["node"]: e["text"] for e in self.records()
                if e["kind"] == "event" and e["what"] == "lost"}
        self.assertEqual(set(lost), {"n1", "n2", "n3", "n4"})
        self.assertIn("status 1", lost["n1"])
        self.assertIn("139", lost["n2"])
        self.assertTrue(lost["n3"].startswith("unreachable"), lost)
        self.assertIn("signal 9", lost["n4"])


class BadInput(Case):
    def refused(self, r, pattern):
        self.assertEqual(r.returncode, 2, (r.stdout, r.stderr))
        lines = r.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], pattern)
        self.assertFalse(os.path.exists(self.out), "a run folder was made")

    def test_each_kind_of_bad_configuration_is_one_line_and_status_2(self):
        step = "{kernel: fake, name: x, on: node, place: all-cores}"
        for old, new, want in (
                ("place:", "plce:", r"two.yaml:6:\d+: unknown key 'plce', did you mean 'place'"),
                ("name: b", "name: a", r"two.yaml:7:\d+: "),
                ("limit: 30s", "limit: 3 GB", r"two.yaml:9:\d+: .*3 GB"),
                ("limit: 30s", "limit: 3", r"two.yaml:9:\d+: "),
                ("name: x,", "name: x, name: z,", r"two.yaml:6:\d+: .*'name'"),
                ("kernel: fake", "kernel: fke", r"two.yaml:6:\d+: .*did you mean 'fake'"),
                (step, "[1, 2]", r"two.yaml:6:\d+: "),
                ("plan: two\n", "", r"two.yaml:\d+:\d+: .*plan"),
                (PLAN, "", r"two.yaml:\d+:\d+: |two.yaml: "),
                (PLAN, "plan: &a [*a]\n", r"two.yaml:\d+:\d+: "),
                ("place: all-cores}", "place: all-cores, rate: -1x}", r"two.yaml:6:\d+: ")):
            with self.subTest(old=old, new=new):
                self.plan = self.write("two.yaml", PLAN.replace(old, new, 1))
                self.refused(self.assay(), want)

    def test_bad_words_are_one_line_and_status_2(self):
        for words, want in (
                (["--launchr", "test"], "did you mean '--launcher'"),
                (["--set", "b.lmit=3s"], "lmit"),
                (["--set", "nothing"], "--set"),
                (["--time-limit", "4 GB"], "--time-limit"),
                (["--nodes", "n[1-"], "--nodes"),
                (["--launcher", "srun"], "srun"),
                (["--launcher", "mpirum"], "mpirun"),
                (["--hostfile", "/nonexistent"], "/nonexistent"),
                (["--site", "/nonexistent"], "/nonexistent"),
                (["--set", "stream.ntimes=0", "local"], "one plan"),
                (["extra"], "one plan")):
            with self.subTest(words=words):
                self.refused(self.assay(*words), re.escape(want))

    def test_a_plan_that_is_not_there_names_those_that_are(self):
        self.plan = "locl"
        self.refused(self.assay(), "did you mean 'local'")

    def test_an_output_that_cannot_be_made_is_status_2(self):
        for out in ("", self.path("none/run")):
            self.out = out
            r = self.assay()
            self.assertEqual(r.returncode, 2, r.stderr)
            self.assertEqual(len(r.stderr.splitlines()), 1)

    def test_an_option_out_of_its_kernels_range_is_refused_before_the_launch(self):
        self.plan = self.write("two.yaml", PLAN.replace("kernel: fake", "kernel: stream", 1))
        for value, want in (("0", "too small"), ("-5", "too small"), ("2000000000", "too large")):
            r = self.assay("--set", f"stream.ntimes={value}")
            self.refused(r, want)

    def test_a_bad_baseline_is_refused_before_anything_starts(self):
        for old, new in (("100 GB/s", "100"), ("100 GB/s", "100 MBs"), ("-7 %", "-7 GB"),
                         ("fake.rate:", "fake.rate: {ref: 1 GB/s, from: x, fail: -1 %}\n"
                          "  fake.rate:"), (', from: "the fake kernel\'s default"', "")):
            with self.subTest(new=new):
                self.baseline = self.write("base.yaml", BASELINE.replace(old, new, 1))
                self.refused(self.assay(), r"base.yaml:\d+:\d+: ")

    def test_root_is_never_overridden_silently(self):
        if os.geteuid() != 0:
            return
        argv = [w for w in self.words() if w != "--allow-root"]
        argv[argv.index("test")] = "mpirun"
        self.refused(self.assay(argv=argv), "--allow-root")

    def test_an_output_folder_in_use_is_not_touched(self):
        self.assertEqual(self.assay().returncode, 0)
        before = sorted(os.listdir(self.out))
        r = self.assay()
        self.assertEqual(r.returncode, 2)
        self.assertIn(b"--resume", r.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), before)

    def test_resume_of_what_is_no_run(self):
        for folder in (self.base, self.path("none"), "/dev/null"):
            r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", folder])
            self.assertEqual(r.returncode, 2, r.stderr)


HPL = """plan: hpl
stages:
  - name: s
    steps:
      - {kernel: hpl, place: 1-per-node, %s}
"""


class Sizes(Case):
    """What a plan says of sizes and files is known to be wrong before anything starts."""

    def plan_of(self, text):
        self.plan = self.write("hpl.yaml", HPL % text)

    def test_what_is_said_twice_or_is_not_there_is_status_2(self):
        for text, want in (
                ("n: 100, memory: 10 %", r"hpl.yaml:5:\d+: 'n' and 'memory' are both given"),
                ("memory: 0.001 %", r"hpl.yaml:5:\d+: 'memory': '0.001 %'.* at least 0.1 %"),
                ("hpl-dat: HPL.dat", rf"hpl.yaml:5:\d+: 'hpl-dat': '{self.base}/HPL.dat' is no"),
                ("hpl-dat: /nowhere/H", r"hpl.yaml:5:\d+: 'hpl-dat': '/nowhere/H' is no file"),
                ("on: sets, sizes: [8]", r"hpl.yaml:5:9: .*8 is above the 2 nodes")):
            with self.subTest(text=text):
                self.plan_of(text)
                r = self.assay("--nodes", "n[1-2]", "--quiet")
                self.assertEqual(r.returncode, 2, (r.stdout, r.stderr))
                self.assertRegex(r.stderr.decode(), want)
                self.assertEqual(r.stderr.count(b"\n"), 1, r.stderr)
                self.assertFalse(os.path.exists(self.out), "a run folder was made")

    def test_files_are_those_beside_the_plan_also_for_who_resumes(self):
        self.write("HPL.dat", "a\nb\nHPL.out\n6\n1\n60\n1\n16\n0\n1\n1\n1\n16.0\n1\n2\n"
                   "1\n4\n1\n2\n1\n1\n1\n0\n1\n7\n2\n64\n0\n0\n1\n8\n")
        self.plan_of("hpl-dat: HPL.dat")
        argv = self.words("--nodes", "n1", "--dry-run", "--quiet", out=False)
        r = self.assay(argv=argv, cwd="/")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn(f"--hpl-dat {self.base}/HPL.dat".encode(), r.stdout)
        self.assertIn(b"HPL.dat: 1 problem, N 60, NB 16, P x Q 1 x 1\n", r.stdout)
        self.write("BAD.dat", "a\nb\nHPL.out\n6\nx\n")
        r = self.assay(argv=argv + ["--set", f"hpl.hpl-dat={self.base}/BAD.dat"])
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertIn(f"would be refused: assay-hpl: {self.base}/BAD.dat:5: Ns: expected"
                      .encode(), r.stdout)
        r = self.assay("--nodes", "n1", "--quiet", cwd="/")
        again = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(again.returncode, r.returncode, again.stderr)

    def test_sizes_above_the_nodes_are_said(self):
        self.plan_of("n: 60, on: sets, sizes: [1, 8]")
        r = self.assay("--nodes", "n[1-2]")
        why = "'sizes': 8 is above the 2 nodes there are"
        self.assertIn(why, r.stderr.decode())
        self.assertIn(why, r.stdout.decode())

    def test_a_dry_run_of_a_machine_elsewhere_says_n_nb_and_the_grid(self):
        self.plan = self.write("hpl.yaml", HPL.replace("1-per-node", "one-per-l3") %
                               "on: sets, scaling: weak, memory: 50 %")
        machine = ("Package:2 [NUMANode(memory=64GiB)] L3Cache:2(size=32MiB) Core:4 PU:1")
        argv = self.words("--nodes", "n[1-4]", "--dry-run", "--quiet", "--topology", machine,
                          out=False)
        argv[argv.index("test")] = "mpirun"
        r = self.assay(argv=argv)
        self.assertEqual(r.returncode, 0, r.stderr)
        sizes = [line.split(",")[:3] for line in r.stdout.decode().splitlines()
                 if line.startswith("  N ")]
        self.assertEqual([" ".join(s).split() for s in sizes[:1]],
                         [["N", "92160", "NB", "192", "P", "x", "Q", "2", "x", "2"]])
        self.assertEqual({s[2].strip() for s in sizes},
                         {"P x Q 2 x 2", "P x Q 2 x 4", "P x Q 4 x 4"})
        self.assertIn(b"sizes follow from all of its memory, 128 GiB", r.stdout)


SETS = """plan: sets
stages:
  - name: s
    gate: true
    steps:
      - {kernel: fake, name: all, on: all, place: 1-per-node, limit: 30s}
  - name: t
    steps:
      - {kernel: fake, name: each, on: node, place: 1-per-node}
"""


class Isolation(Case):
    """A launch over several nodes that fails: who is it, and on with the rest."""

    def setUp(self):
        super().setUp()
        self.plan = self.write("two.yaml", SETS)

    def launches(self, prefix="s/"):
        return [(s["key"], tuple(s["nodes"]))
                for s in self.records() if s["kind"] == "step"
                and s["event"] == "planned" and s["key"].startswith(prefix)]

    def excluded(self):
        return {r["target"] for r in self.records()
                if r["kind"] == "request" and r["want"] == "exclude"}

    def words_of_nodes(self):
        return {n["name"]: n["verdict"] for n in self.report()["nodes"]}

    def test_a_clean_set_is_one_launch(self):
        self.assertEqual(self.assay("--nodes", "n[1-5]").returncode, 0)
        self.assertEqual(self.launches(), [("s/all@*", ("n1", "n2", "n3", "n4", "n5"))])

    def test_one_bad_node_of_any_is_found_and_the_rest_is_measured(self):
        for n, bad, way in ((4, 3, "exit 1"), (4, 1, "no-result"), (3, 1, "half-line"),
                            (3, 2, "garbage"), (3, 3, "die 11"), (5, 5, "miscount"),
                            (8, 6, "refuse no slots"), (16, 9, "torn")):
            with self.subTest(n=n, bad=bad, way=way):
                shutil.rmtree(self.out, True)
                self.play(f"s/*+n{bad} {way}\n* ok\n")
                r = self.assay("--nodes", f"n[1-{n}]", "--quiet")
                self.assertEqual(r.returncode, 3, (r.stdout, r.stderr))
                self.assertEqual(self.excluded(), {f"n{bad}"})
                rest = tuple(f"n{i}" for i in range(1, n + 1) if i != bad)
                self.assertEqual(self.launches()[-1], ("s/all@*", rest))
                words = self.words_of_nodes()
                self.assertEqual([k for k, v in words.items() if v == "ERROR"], [f"n{bad}"])
                # it stays out of what follows, the others do not
                self.assertEqual({nodes[0] for key, nodes in self.launches("t/")}, set(rest))

    def test_two_bad_nodes_are_both_found(self):
        self.play("s/*+n2 exit 1\ns/*+n7 exit 1\n* ok\n")
        r = self.assay("--nodes", "n[1-8]", "--quiet")
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertEqual(self.excluded(), {"n2", "n7"})
        self.assertEqual(self.launches()[-1][0], "s/all@*")
        self.assertEqual(len(self.launches()[-1][1]), 6)

    def test_a_hung_node_costs_a_few_limits(self):
        self.plan = self.write("two.yaml", SETS.replace("limit: 30s", "limit: 4s"))
        self.play("s/*+n3 hang-term\n* ok\n")
        r = self.assay("--nodes", "n[1-4]", "--quiet")
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertEqual(self.excluded(), {"n3"})
        launches = [e for e in self.records() if e["kind"] == "step"
                    and e["event"] == "ended" and e["cause"] == "timeout"]
        self.assertLessEqual(len(launches), 4)
        why = [v["why"] for v in self.report()["verdicts"]
               if v.get("node") == "n3" and v["verdict"] == "ERROR"]
        self.assertTrue(any("which works with others" in w for w in why), why)

    def changing(self, who, way, later, nodes):
        """A run in which steps @who go @way, but not before the script has begun with
        @later: so what is asked after them meets that."""
        go = self.path("go")
        with contextlib.suppress(OSError):
            os.unlink(go)
        steps = f"{who} when {go} {way}\n* ok\n"
        self.play(steps)
        p = subprocess.Popen(self.words("--nodes", nodes, "--quiet"), env=self.env(),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        journal = os.path.join(self.out, "journal.jsonl")
        while p.poll() is None:
            with contextlib.suppress(OSError):
                with open(journal, encoding="utf-8") as f:
                    if '"kind":"step"' in f.read():
                        break
            time.sleep(0.005)
        self.play(later + steps)
        self.write("go", "")
        p.communicate(timeout=200)
        return p.returncode

    def test_a_node_that_no_longer_answers_is_excluded_at_once(self):
        # the probe reaches it, after the step nothing does
        self.assertEqual(self.changing("s/*+n3", "exit 1", "reach@n3 exit 255 gone\n",
                                       "n[1-4]"), 3)
        self.assertEqual(self.excluded(), {"n3"})
        self.assertIn("silent", [e.get("what") for e in self.records()])

    def test_who_killed_a_kernel_is_asked_and_said(self):
        for later, who in (("", "not the kernel's OOM killer"),
                           ("reach@n2 say 1000000\n", "the kernel's OOM killer, on n2"),
                           ("reach@n2 say\n", "out of memory? not known on n2")):
            with self.subTest(later=later):
                shutil.rmtree(self.out, True)
                self.assertEqual(self.changing("t/*+n2", "die 9", later, "n[1-3]"), 3)
                errors = [v for v in self.report()["verdicts"] if v["verdict"] == "ERROR"]
                self.assertEqual({v.get("node") for v in errors}, {"n2"})
                self.assertIn(f"who did it: {who}", errors[0]["why"])

    def test_a_node_that_computes_wrongly_is_found_and_fails(self):
        """C01: a failed check of a result over several nodes."""
        for n, bad in ((2, 1), (3, 2), (4, 3), (8, 6)):
            with self.subTest(n=n, bad=bad):
                shutil.rmtree(self.out, True)
                self.play(f"s/*+n{bad} failed\n* ok\n")
                r = self.assay("--nodes", f"n[1-{n}]", "--quiet")
                self.assertEqual(r.returncode, 1, (r.stdout, r.stderr))
                self.assertEqual(self.excluded(), {f"n{bad}"})
                rest = tuple(f"n{i}" for i in range(1, n + 1) if i != bad)
                self.assertEqual({nodes[0] for key, nodes in self.launches("t/")}, set(rest))
                if n > 2:
                    self.assertEqual(self.launches()[-1], ("s/all@*", rest))
                words = self.words_of_nodes()
                self.assertEqual([k for k, v in words.items() if v == "FAIL"], [f"n{bad}"])
                for v in self.report()["verdicts"]:
                    if v["rule"] == "valid" and v["verdict"] == "FAIL":
                        self.assertEqual(v["cause"], "numerical")
                        self.assertIn(v.get("node"), (None, f"n{bad}"))

    def test_results_that_are_wrong_only_together_blame_no_node_alone(self):
        self.play("s/all@[*] failed\n* ok\n")
        r = self.assay("--nodes", "n[1-4]", "--quiet")
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertEqual(self.excluded(), set())
        self.assertFalse([v for v in self.report()["verdicts"] if v["rule"] == "baseline"
                          and v.get("step") == 1], "the wrong launch's numbers count")

    def test_nobody_is_blamed_when_all_fail_or_only_together(self):
        self.play("s/* exit 1\n* ok\n")
        r = self.assay("--nodes", "n[1-4]", "--quiet")
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertEqual(self.excluded(), set())
        shutil.rmtree(self.out)
        self.play("s/all@[*] exit 1\n* ok\n")
        r = self.assay("--nodes", "n[1-4]", "--quiet")
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertEqual(self.excluded(), set())


class Sets(Case):
    """Disjoint sets of each size, what they reach together, who holds them up."""

    def setUp(self):
        super().setUp()
        self.plan = self.write("sets.yaml", """plan: sets
requires: []
stages:
  - name: s
    steps:
      - {kernel: fake, name: x, on: sets, sizes: [1, 2, all], scaling: weak}
""")
        self.baseline = self.write("base.yaml", """baseline: fake
metrics:
  fake.efficiency: {ref: 95 %, warn: -5 %, fail: -20 %,
                    at: {nodes: any, scaling: weak}, from: a test}
""")

    def scaling(self):
        return {(v["at"]["nodes"], v["verdict"]) for v in self.report()["verdicts"]
                if v["rule"] == "scaling"}

    def options(self):
        return {r["key"]: r["argv"][r["argv"].index("--size") + 1] for r in self.records()
                if r["kind"] == "step" and r["event"] == "started"
                and r["key"].startswith("s/") and "--size" in r["argv"]}

    def test_each_size_covers_all_nodes_and_is_judged(self):
        self.play("* ok grow=0.97\n")
        self.assay("--nodes", "n[1-4]", "--quiet")
        keys = [r["key"] for r in self.records() if r["kind"] == "step"
                and r["event"] == "planned" and r["key"].startswith("s/")]
        self.assertEqual(keys, ["s/x@*1:0", "s/x@*1:1", "s/x@*1:2", "s/x@*1:3", "s/x@*2:0",
                                "s/x@*2:1", "s/x@*"])
        self.assertEqual(self.scaling(), {(2, "PASS"), (4, "PASS")})

    def test_sets_that_lose_too_much_fail(self):
        self.play("s/x@[*]2* ok grow=0.97\n* ok grow=0.6\n")
        self.assertEqual(self.assay("--nodes", "n[1-4]", "--quiet").returncode, 1)
        self.assertEqual(self.scaling(), {(2, "PASS"), (4, "FAIL")})

    def test_a_slow_node_is_named_inside_a_launch_and_nobody_on_a_clean_one(self):
        for slow in ("n2", "none"):
            shutil.rmtree(self.out, True)
            self.play(f"* ok grow=0.97 slow={slow}\n")
            self.assay("--nodes", "n[1-4]", "--quiet")
            named = {v.get("node") for v in self.report()["verdicts"]
                     if v["rule"] == "straggler" and v["verdict"] == "FAIL"}
            self.assertEqual(named, {"n2"} if slow == "n2" else set())

    def test_memory_becomes_a_size_that_grows_with_the_nodes(self):
        """C03: the smallest node decides, before anything is started."""
        self.assay("--nodes", "n[1-4]", "--quiet", "--set", "fake.memory=25%")
        sizes = self.options()
        self.assertEqual(len(sizes), 7)
        one = int(sizes["s/x@*1:0"])
        self.assertEqual(one % 1048576, 0)
        self.assertAlmostEqual(int(sizes["s/x@*"]) / one, 4, delta=0.1)

    def test_what_does_not_fit_is_refused_with_the_largest_that_would(self):
        self.assay("--nodes", "n[1-2]", "--quiet", "--set", "fake.size=1000000G")
        ended = [r for r in self.records() if r["kind"] == "step" and r["event"] == "ended"
                 and r["key"].startswith("s/")]
        self.assertEqual({r["cause"] for r in ended}, {"skip"})
        self.assertIn("the largest that fits is", ended[0]["reason"])
        self.assertEqual(self.options(), {})
        r = self.assay("--nodes", "n1", argv=self.words("--set", "fake.memory=2", out=False))
        self.assertEqual(r.returncode, 2)
        self.assertIn(b"expected a share", r.stderr)


STREAM = """STREAM version $Revision: 5.10 $
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:          {0:.1f}     0.018755     0.018713     0.018895
Triad:         {0:.1f}     0.026599     0.026431     0.026855
{1}
"""


class Foreign(Case):
    """A site's own program as a step: its text is read into the same records."""

    def plan_of(self, command, more="", kernel="stream"):
        self.plan = self.write("own.yaml", "plan: own\nrequires: []\nstages:\n"
                               f"  - name: s\n    steps:\n      - {{kernel: {kernel}, name: own, "
                               f"command: {json.dumps(command)}{more}}}\n")

    def texts(self, rate=100000, check="Solution Validates: avg error less than 1e-13"):
        return self.write("text", STREAM.format(rate, check))

    def step(self):
        return [r for r in self.records() if r["kind"] == "step" and r["event"] == "ended"][-1]

    def test_its_numbers_are_samples_in_si_units_of_the_node(self):
        self.plan_of(["cat", self.texts()])
        self.write("base.yaml", "baseline: own\nmetrics:\n  stream.triad: {ref: 100 GB/s, "
                   "warn: -4 %, fail: -7 %, from: x}\n")
        r = self.assay("--nodes", "n1", "--quiet")
        self.assertIn(r.returncode, (0, 3), (r.stdout, r.stderr))
        self.assertEqual(self.step()["cause"], "ok")
        triad = [r for r in self.records() if r.get("metric") == "stream.triad"]
        self.assertEqual([(t["value"], t["unit"], t["node"]) for t in triad],
                         [(1e11, "B/s", "n1")])
        words = {v["metric"]: v["verdict"] for v in self.report()["verdicts"]
                 if v["rule"] == "baseline"}
        self.assertEqual(words["stream.triad"], "PASS")
        with open(os.path.join(self.out, "steps", "001-s-own", "command"),
                  encoding="utf-8") as f:
            self.assertNotIn("--format", f.read())

    def test_a_failed_check_fails_and_a_cut_text_is_no_data(self):
        self.plan_of(["cat", self.texts(check="Failed Validation on array a[]")])
        self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 1)
        shutil.rmtree(self.out)
        self.plan_of(["cat", self.texts(check="")])
        self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 3)
        self.assertEqual(self.step()["cause"], "no-data")
        self.assertIn("no line of the check", self.step()["reason"])
        shutil.rmtree(self.out)
        self.plan_of(["cat", self.path("nothing")])
        self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 3)
        self.assertEqual(self.step()["cause"], "launch")
        self.assertIn("exit status 1", self.step()["reason"])

    def test_an_hpl_that_is_cut_or_cannot_be_so_is_no_result(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "readings",
                            "hpl_four.txt")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for out, cause, why in (
                (text.replace("6.6817e+00", "6.6817e+02"), "invalid",
                 "line 39 of its output: n1000-nb64-1x2: 6.6817e+02 Gflops, but N 1000 in 0.10 s "
                 "makes"),
                (text, "ok", None)):
            self.plan_of(["cat", self.write("text", out)], kernel="hpl")
            self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 3)
            self.assertEqual(self.step()["cause"], cause)
            self.assertIn(why or "", self.step().get("reason", ""))
            shutil.rmtree(self.out)
        self.plan_of(["cat", self.write("text", "".join(text.splitlines(True)[:55]))],
                     kernel="hpl")
        self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 3)
        self.assertEqual(self.step()["cause"], "ok")
        self.assertIn("line 55 of its output: 2 of 4 configurations have no result: the output "
                      "was cut off", json.dumps(self.report()["verdicts"]))

    def test_a_wrong_problem_of_several_is_named_and_the_others_count(self):
        rows = "".join(f"WR11C2R4 {n} 64 1 1 0.00 {rate}\n||Ax-b||_oo/(eps*N)= {r} ...... {w}\n"
                       for n, rate, r, w in ((100, "5.0e+01", 0.004, "PASSED"),
                                             (200, "6.0e+01", 77.5, "FAILED")))
        rows += "WR11C2R4 300 64 1 1 0.00 7.0e+01\n"
        self.plan = self.write("own.yaml", "plan: own\nrequires: []\nstages:\n  - name: s\n"
                               "    steps:\n      - {kernel: hpl, name: own, command: [cat, "
                               f"{self.write('text', rows)}]}}\n")
        r = self.assay("--nodes", "n1", "--quiet")
        self.assertEqual(r.returncode, 1, (r.stdout, r.stderr))
        self.assertEqual(self.step()["cause"], "ok")
        verdicts = self.report()["verdicts"]
        failed = [v for v in verdicts if v["verdict"] == "FAIL"]
        self.assertEqual([v["at"] for v in failed], [{"problem": "n200-nb64-1x1"}])
        self.assertIn("n300-nb64-1x1: no residual line",
                      " ".join(v["why"] for v in verdicts if v["verdict"] == "ERROR"))
        judged = {v["at"]["problem"] for v in verdicts if v.get("metric") == "hpl.rate"}
        self.assertEqual(judged, {"n100-nb64-1x1"})

    def test_what_it_prints_on_stdout_is_the_reason(self):
        self.plan_of(["sh", "-c", "echo Welcome; echo Cannot open HPL.dat; exit 3"])
        self.assertEqual(self.assay("--nodes", "n1", "--quiet").returncode, 3)
        self.assertEqual(self.step()["reason"],
                         "exit status 3; it printed: Cannot open HPL.dat")

    def test_a_command_that_is_not_there_is_refused_where_it_can_be_known(self):
        for command, more, why in (
                (["xhlp-of-nobody"], "", "command not found: 'xhlp-of-nobody'"),
                (["/nowhere/xhpl"], "", "command not found: '/nowhere/xhpl'"),
                (["cat"], ", dir: /nowhere", "no such directory: '/nowhere'"),
                (["cat"], ", dir: nosuch", f"no such directory: '{self.path('nosuch')}'")):
            self.plan_of(command, more)
            with self.subTest(command=command):
                for nodes in ((), ("--nodes", "localhost")):
                    r = self.assay(*nodes, "--quiet")
                    self.assertEqual(r.returncode, 2, r.stdout)
                    self.assertIn(f"own.yaml:6:9: step 'own': {why}", r.stderr.decode())
                    self.assertFalse(os.path.exists(self.out))
                argv = self.words("--nodes", "n[1-2]", "--dry-run", "--quiet", out=False)
                r = self.assay(argv=argv)
                self.assertEqual(r.returncode, 3, (r.stdout, r.stderr))
                for node in ("n1", "n2"):
                    self.assertIn(f"own.yaml:6:9: step 'own' on {node}: {why}",
                                  r.stdout.decode())
                r = self.assay(argv=[os.path.join(BIN, "assay"), "check", self.plan])
                self.assertEqual(r.returncode, 0, r.stdout)
                self.assertIn(f"own.yaml:6:9: step 'own': on this machine {why}",
                              r.stdout.decode())

    def test_what_cannot_be_read_is_refused_before_anything_is_started(self):
        for more, why in ((", reader: hpl", b"nothing reads what 'hpl' prints"),
                          (", ntimes: 5", b"a step with 'command' has no options")):
            self.plan_of(["true"], more)
            r = self.assay("--nodes", "n1")
            self.assertEqual(r.returncode, 2)
            self.assertIn(why, r.stderr)
        self.plan = self.write("own.yaml", "plan: own\nstages:\n  - name: s\n    steps:\n"
                               "      - {kernel: stream, dir: /tmp}\n")
        self.assertIn(b"are for steps with 'command'", self.assay().stderr)


@contextlib.contextmanager
def tmpfs(folder, options):
    os.makedirs(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@unittest.skipUnless(os.geteuid() == 0, "mounts need root")
class Disk(Case):
    def test_a_full_disk_is_4_with_whole_lines_and_no_half_report(self):
        ended = set()
        for pages in list(range(8, 40, 2)) + [400]:
            mount = self.path(f"m{pages}")
            with self.subTest(pages=pages), tmpfs(mount, f"size={pages * 4}k"):
                self.out = os.path.join(mount, "run")
                r = self.assay("--quiet")
                ended.add(r.returncode)
                self.assertIn(r.returncode, (0, 4), r.stderr)
                if r.returncode == 4:
                    self.assertIn(b"No space left on device", r.stderr)
                    self.assertEqual(len(r.stderr.splitlines()), 1, r.stderr)
                journal = os.path.join(self.out, "journal.jsonl")
                if os.path.exists(journal) and os.path.getsize(journal):
                    self.records()
                self.whole_reports()
        self.assertEqual(ended, {0, 4})

    def whole_reports(self):
        for name in glob.glob(os.path.join(self.out, "*")):
            self.assertFalse(re.search(r"\.(new|tmp)|~$", name), name)
        if os.path.exists(os.path.join(self.out, "report.json")):
            self.report()

    def test_what_a_full_disk_stopped_goes_on_when_there_is_room(self):
        mount = self.path("m")
        with tmpfs(mount, "size=400k"):
            self.out = os.path.join(mount, "run")
            with open(os.path.join(mount, "ballast"), "wb") as f:
                f.write(b"x" * (400 - 100) * 1024)
            room = 0
            while self.assay("--quiet").returncode != 4:
                shutil.rmtree(self.out)
                room += 4
                with open(os.path.join(mount, "ballast"), "ab") as f:
                    f.write(b"x" * 4096)
                self.assertLess(room, 100)
            os.unlink(os.path.join(mount, "ballast"))
            if not os.path.exists(os.path.join(self.out, "journal.jsonl")):
                return
            r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out,
                                 "--quiet"])
            self.assertIn(r.returncode, (0, 2), r.stderr)

    def test_a_read_only_place_is_4_and_names_it(self):
        mount = self.path("m")
        with tmpfs(mount, "size=400k,ro"):
            self.out = os.path.join(mount, "run")
            r = self.assay()
            self.assertEqual(r.returncode, 4, r.stderr)
            self.assertIn(b"Read-only file system", r.stderr)

    def test_a_working_directory_that_is_gone_is_4(self):
        gone = self.path("gone")
        os.makedirs(gone)
        argv = self.words(out=False)
        argv[0] = os.path.abspath(argv[0])
        r = self.assay(argv=["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *argv], cwd=gone)
        self.assertEqual(r.returncode, 4, r.stderr)
        self.assertIn(b"No such file or directory", r.stderr)

    def test_a_folder_that_goes_away_during_the_run_is_4(self):
        self.play("a/* hang\n* ok\n")
        journal = os.path.join(self.out, "journal.jsonl")
        with subprocess.Popen(self.words("--set", "a.limit=5s"), env=self.env(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            # from then on nothing is written until the limit
            while p.poll() is None:
                with contextlib.suppress(OSError):
                    with open(journal, encoding="utf-8") as f:
                        if '"event":"started"' in f.read():
                            break
                time.sleep(0.02)
            shutil.rmtree(self.out)
            _, err = p.communicate(timeout=200)
        self.assertEqual(p.returncode, 4, err)


def on_terminal(argv, env, cols=None):
    """Runs argv on a pseudo terminal; everything it wrote there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(argv[0], argv, env)
    if cols is not None:
        import fcntl
        import struct
        import termios
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, cols, 0, 0))
    text = b""
    while select.select([fd], [], [], 60)[0]:
        try:
            chunk = os.read(fd, 65536)
        except OSError:
            break
        if not chunk:
            break
        text += chunk
    os.close(fd)
    return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Terminal(Case):
    """G10: output that is not a terminal, or not a clever one."""

    def test_pipes_get_no_escape_and_no_carriage_return(self):
        r = self.assay()
        for text in (r.stdout, r.stderr):
            self.assertNotIn(b"\x1b", text)
            self.assertNotIn(b"\r", text)
        self.assertIn(b"2/2 steps", r.stderr)

    def test_a_terminal_gets_colour_and_a_live_line(self):
        text, status = on_terminal(self.words(), self.env(TERM="xterm"))
        self.assertEqual(status, 0)
        self.assertIn(b"\x1b[", text)
        self.assertIn(b"\r\x1b[K", text)

    def test_no_color_and_dumb_terminals_get_neither(self):
        for i, more in enumerate(({"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}, {})):
            with self.subTest(more=more):
                self.out = self.path(f"run{i}")
                text, status = on_terminal(self.words(), self.env(**more))
                self.assertEqual(status, 0)
                self.assertNotIn(b"\x1b", text)
                self.assertNotIn(b"\r", text.replace(b"\r\n", b"\n"))

    def test_odd_widths_are_survived(self):
        for i, cols in enumerate((0, 1, 7, 65535)):
            self.out = self.path(f"run{i}")
            _, status = on_terminal(self.words(), self.env(TERM="xterm", COLUMNS="0"), cols)
            self.assertEqual(status, 0)

    def test_ascii_locales_get_ascii(self):
        r = self.assay(env=dict(self.env(), LC_ALL="C"))
        (r.stdout + r.stderr).decode("ascii")

    def test_a_reader_that_leaves_changes_nothing(self):
        line = " ".join(self.words()) + ' 2>/dev/null | head -1 >/dev/null; ' \
            'echo "${PIPESTATUS[0]}"'
        r = subprocess.run(["bash", "-c", line], env=self.env(), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=200, check=False)
        self.assertEqual(r.stdout.strip(), b"0", r.stderr)
        self.assertEqual(r.stderr, b"")
        self.assertEqual(self.records()[-1]["kind"], "end")

    def test_closed_and_empty_stdin_are_fine(self):
        for i, tail in enumerate(("<&-", "</dev/null", ">&-", "2>&-")):
            self.out = self.path(f"run{i}")
            r = subprocess.run(["bash", "-c", " ".join(self.words()) + " " + tail],
                               env=self.env(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=200, check=False)
            self.assertEqual(self.records()[-1].get("exit"), 0, (tail, r.stderr))
            with open(os.path.join(self.out, "config", "plan.yaml"), encoding="utf-8") as f:
                self.assertEqual(f.read(), PLAN)

    def test_a_report_that_cannot_be_printed_is_not_0(self):
        with open("/dev/full", "wb") as full:
            r = subprocess.run(self.words(), env=self.env(), stdout=full,
                               stderr=subprocess.PIPE, timeout=200, check=False)
        self.assertEqual(r.returncode, 4, r.stderr)


class Ends(Case):
    """Signals and resume; the kill after every write is resume_points.py."""

    def start(self, *words):
        p = subprocess.Popen(self.words(*words), env=self.env(), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        journal = os.path.join(self.out, "journal.jsonl")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                with open(journal, encoding="utf-8") as f:
                    if any('"event":"started"' in r and '"key":"b/y' in r for r in f):
                        return p
            time.sleep(0.02)
        p.kill()
        raise AssertionError(p.communicate())

    def test_signals_end_in_order_with_128_plus_n_and_a_report(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT,
                    signal.SIGUSR1):
            with self.subTest(sig=sig):
                shutil.rmtree(self.out, True)
                self.play("b/* hang\n")
                p = self.start("--set", "b.limit=60s")
                p.send_signal(sig)
                out, err = p.communicate(timeout=30)  # the step's limit is longer
                self.assertEqual(p.returncode, 128 + sig, err)
                self.assertIn(b"fake.rate", out)
                text = json.dumps(self.report())
                self.assertIn("aborted", text)
                self.assertEqual(self.report()["exit"], 128 + sig)

    def test_a_resumed_run_does_what_was_left_and_nothing_twice(self):
        self.play("b/* hang\n")
        p = self.start("--set", "b.limit=60s")
        p.kill()
        p.communicate()
        self.play("* ok\n")
        r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(r.returncode, 0, r.stderr)
        ended = [(s["key"][:3], s["attempt"], s["cause"]) for s in self.records()
                 if s["kind"] == "step" and s["event"] == "ended"]
        self.assertEqual(ended, [("a/x", 1, "ok"), ("b/y", 2, "ok")])
        again = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_two_writers_never_share_a_folder(self):
        self.play("b/* hang\n")
        p = self.start("--set", "b.limit=60s")
        r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(r.returncode, 2)
        self.assertIn(f"pid {p.pid}".encode(), r.stderr)
        status = self.assay(argv=[os.path.join(BIN, "assay"), "status", self.out])
        self.assertIn(b"running", status.stdout)
        self.assertIn(b"b/y", status.stdout)
        p.terminate()
        p.communicate(timeout=30)
        status = self.assay(argv=[os.path.join(BIN, "assay"), "status", self.out])
        self.assertIn(b"ended: ", status.stdout)

    def test_the_time_limit_leaves_out_and_says_so(self):
        self.plan = self.write("two.yaml", PLAN.replace("limit: 30s", "estimate: 1h"))
        r = self.assay("--time-limit", "70s")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn(b"left out for lack of time: b/y", r.stderr)
        left = [v for v in self.report()["verdicts"] if "estimate 3600 s" in v["why"]]
        self.assertEqual([v["verdict"] for v in left], ["SKIP"])
        self.assertEqual(self.word(), "SKIP")

    def test_a_dry_run_starts_nothing_and_makes_nothing(self):
        argv = self.words("--dry-run", out=False)
        r = self.assay(argv=argv, cwd=self.base)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn(b"assay-fake", r.stdout)
        self.assertIn(b"all-cores", r.stdout)
        self.assertEqual(sorted(os.listdir(self.base)), ["base.yaml", "script", "two.yaml"])
        self.play("reach@n2 exit 255\n* ok\n")
        r = self.assay(argv=argv + ["--nodes", "n[1-2]"], cwd=self.base)
        self.assertEqual(r.returncode, 3, r.stderr)

    def test_nothing_of_us_is_left_open_in_kernels(self):
        """The kernel sees stdin, stdout and stderr and no descriptor of ours."""
        self.play("b/* hang\n")
        p = self.start("--set", "b.limit=60s")
        # it opens files itself while it starts, and closes them
        fds, deadline = set(), time.monotonic() + 20
        while fds != {"0", "1", "2"} and time.monotonic() < deadline:
            fds = set()
            for pid in self.marked():
                with contextlib.suppress(OSError), \
                        open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if "assay-fake" in comm.read():
                        fds |= set(os.listdir(f"/proc/{pid}/fd"))
        p.terminate()
        p.communicate(timeout=30)
        self.assertEqual(fds, {"0", "1", "2"})


class Slurm(Case):
    """B08: a run inside an allocation, with commands of Slurm that we play."""

    JOB = {"SLURM_JOB_ID": "12", "SLURM_JOB_NODELIST": "b04-[09-10],c01,d[1-2]",
           "SLURM_JOB_CPUS_PER_NODE": "40,8(x2),16,40",
           "SLURM_TASKS_PER_NODE": "4(x2),1,2(x2)"}
    SINFO = ("b04-09,mixed", "b04-10,idle", "c01,down*", "d1,drained*", "d2,draining",
             "d3,fail*", "d4,planned", "d4,planned")

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.command("sinfo", "printf '%s\\n' " + " ".join(f"'{n}'" for n in self.SINFO))
        self.command("squeue", "echo UNLIMITED")

    def command(self, name, script):
        os.chmod(self.write(f"bin/{name}", f"#!/bin/sh\n{script}\n"), 0o755)

    def env(self, **more):
        env = super().env(**{**self.JOB, **more})
        return dict(env, PATH=self.path("bin") + ":" + env["PATH"])

    def outcome(self):
        return {n["name"]: (self.word(n["name"]), n["why"])
                for n in self.report()["nodes"]}

    def ended(self):
        return sorted(r["key"][:3] for r in self.records()
                      if r["kind"] == "step" and r["event"] == "ended")

    def test_the_nodes_are_those_of_the_allocation(self):
        r = self.assay()
        self.assertEqual(r.returncode, 3, r.stderr)
        nodes = self.outcome()
        self.assertEqual({n: v for n, (v, _) in nodes.items()},
                         {"b04-09": "PASS", "b04-10": "PASS", "c01": "ERROR",
                          "d1": "ERROR", "d2": "PASS"})
        self.assertEqual(nodes["c01"][1], "not tested (down*)")
        self.assertEqual(nodes["d1"][1], "not tested (drained*)")
        self.assertIn(b"3 of 5 nodes reported", r.stdout)
        self.assertIn(b"Slurm state 'mixed'", r.stderr)
        for remark in ("b04-09: Slurm state 'mixed'", "d2: Slurm state 'draining'"):
            self.assertEqual(r.stdout.decode().count(remark), 1)
        missing = {m["node"] for m in self.report()["coverage"]["missing"]}
        self.assertEqual(missing, {"c01", "d1"})
        asked = [e for e in self.records() if e["kind"] == "node"]
        self.assertEqual({e["node"] for e in asked}, {"b04-09", "b04-10", "d2"})

    def test_nodes_of_the_site_that_nobody_gets_are_not_tested(self):
        site = self.write("site.yaml", "site: s\nnodes: b04-10,d3\n")
        r = self.assay("--site", site)
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertEqual(self.outcome()["d3"], ("ERROR", "not tested (fail*)"))
        self.assertEqual(self.outcome()["b04-10"][0], "PASS")

    def test_other_nodes_that_are_not_in_the_allocation_are_refused(self):
        site = self.write("site.yaml", "site: s\nnodes: b04-10,d[4-5]\n")
        for words in (("--site", site), ("--nodes", "d[4-5]")):
            r = self.assay(*words)
            self.assertEqual(r.returncode, 2, r.stdout)
            self.assertIn(b"d[4-5] are not in the allocation of Slurm job 12, which has "
                          b"b04-[09-10],c01,d[1-2]", r.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_counts_that_do_not_fit_the_nodes_are_refused(self):
        for name in ("SLURM_JOB_CPUS_PER_NODE", "SLURM_TASKS_PER_NODE"):
            r = self.assay(env=self.env(**{name: "40,8(x2)"}))
            self.assertEqual(r.returncode, 2, r.stdout)
            self.assertIn(name.encode() + b": '40,8(x2)': counts for fewer nodes than "
                          b"the 5", r.stderr)
            self.assertFalse(os.path.exists(self.out))

    def test_the_job_s_time_is_the_time_limit(self):
        self.plan = self.write("two.yaml", PLAN.replace("limit: 30s", "estimate: 4m"))
        self.command("squeue", '[ "$*" = "-h -j 12 -o %L" ] && echo 5:10')
        r = self.assay("--nodes", "b04-10")
        self.assertIn(b"Slurm ends job 12 in 5m10s: time limit 4m39s", r.stderr)
        self.assertEqual(r.returncode, 0, r.stderr)  # 4 m fit, and what goes before
        shutil.rmtree(self.out)
        self.command("squeue", "echo 4:20")
        r = self.assay("--nodes", "b04-10")
        self.assertIn(b"left out for lack of time: b/y", r.stderr)
        self.assertIn(b"Slurm ends job 12 in 4m20s: time limit 3m54s", r.stdout)
        self.assertEqual(self.ended(), ["a/x"])
        shutil.rmtree(self.out)
        r = self.assay("--nodes", "b04-10", "--time-limit", "10m")
        self.assertEqual(self.ended(), ["a/x", "b/y"], r.stderr)
        self.assertIn(b"Slurm ends job 12 in 4m20s, before --time-limit", r.stderr)

    def test_a_resumed_run_has_the_time_of_its_own_job(self):
        self.plan = self.write("two.yaml", PLAN.replace("limit: 30s", "estimate: 4m"))
        self.command("squeue", "echo 4:20")
        self.assertEqual(self.assay("--nodes", "b04-10").returncode, 0)
        self.command("squeue", "echo 1-00:00:00")
        r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.ended(), ["a/x", "b/y"])

    def test_a_node_comes_back_to_a_resumed_run(self):
        self.assertEqual(self.assay("--nodes", "c01,d2").returncode, 3)
        self.command("sinfo", "printf 'c01,idle\\nd2,allocated\\n'")
        r = self.assay(argv=[os.path.join(BIN, "assay"), "run", "--resume", self.out])
        self.assertEqual(r.returncode, 0, (r.stdout, r.stderr))
        self.assertEqual({v for v, _ in self.outcome().values()}, {"PASS"})

    def test_slurm_s_commands_may_fail(self):
        self.command("sinfo", "echo down >&2; exit 1")
        self.command("squeue", "echo INVALID")
        r = self.assay("--nodes", "b04-10,c01")
        self.assertEqual(r.returncode, 0, r.stderr)
        for remark in (b"states of the nodes are not known: sinfo: exit status 1: down",
                       b"not known: squeue: time 'INVALID'"):
            self.assertIn(remark, r.stdout)

    def test_a_dry_run_says_what_would_be_left_out(self):
        argv = self.words("--dry-run", out=False)
        r = self.assay(argv=argv, cwd=self.base)
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertIn(b"c01: not tested (down*)", r.stderr)
        self.assertNotIn(b"@c01", r.stdout)
        self.assertIn(b"@d2", r.stdout)

    def test_nodes_asks_only_those_in_service(self):
        r = self.assay(argv=[os.path.join(BIN, "assay"), "nodes", "--launcher", "test"])
        self.assertEqual(r.returncode, 3, r.stderr)
        self.assertIn(b"no facts: not tested (down*)", r.stdout)
        self.assertIn(b"d2: Slurm state 'draining'", r.stderr)


if __name__ == "__main__":
    BIN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
