#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge, report, explain and list as a user sees them: commands.py ASSAY.

Exit status, files, standard output and error, on pipes and terminals (field case G10).
"""

import fcntl
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

import runs

ASSAY = None
ESC = b"\x1b"


def environment(**extra):
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**keep, "LC_ALL": "C", **extra}


def assay(*words, env=None, **extra):
    return subprocess.run([ASSAY, *words], env=env or environment(), check=False,
                          capture_output=True, timeout=200, **extra)


def on_terminal(*words, columns, **env):
    """Standard output of a command whose standard output is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    out = b""
    with subprocess.Popen([ASSAY, *words], stdout=theirs, env=environment(**env)) as child:
        os.close(theirs)
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # EIO: the child has closed its side
                break
            if not part:
                break
            out += part
        child.wait()
    os.close(ours)
    return out


class Commands(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="assay-commands-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.run_dir = str(runs.make(self.top / "a run"))

    def check(self, done, status, err=b""):
        self.assertEqual((done.returncode, done.stderr), (status, err), done.stdout)
        return done.stdout

    def fails(self, status, words, *command):
        done = assay(*command)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertIn(words.encode(), done.stderr)

    def reports(self):
        return sorted(path.name for path in pathlib.Path(self.run_dir).iterdir()
                      if path.name != "journal.jsonl")


class Judge(Commands):
    def test_exit_status_report_and_files_agree(self):
        out = self.check(assay("judge", self.run_dir), 1)
        self.assertTrue(out.startswith(b"FAIL  3 of 4 nodes reported, plan nodes"), out)
        self.assertEqual(self.reports(), ["report.json", "report.txt", "report.xml"])
        with open(f"{self.run_dir}/report.json", encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["exit"], report["verdict"]), (1, "FAIL"))
        with open(f"{self.run_dir}/report.txt", "rb") as file:
            self.assertEqual(file.read(), out)

    def test_a_run_cut_off_says_so(self):
        for status, text in ((None, b"not finished\n"), (143, b"not finished (signal 15)")):
            cut = str(runs.make(self.top / "cut", status=status))
            out = self.check(assay("judge", cut), status or 1)
            self.assertIn(text, out)
            self.assertIn(b"assay run --resume", out)
        self.assertNotIn(b"not finished", assay("judge", self.run_dir).stdout)

    def test_formats_are_chosen(self):
        self.check(assay("judge", self.run_dir, "--format", "junit,json"), 1)
        self.assertEqual(self.reports(), ["report.json", "report.xml"])

    def test_other_references_change_the_verdict(self):
        baseline = self.top / "mine.yaml"
        baseline.write_text("baseline: mine\nmatch: {cpu: AMD EPYC 7713, sockets: 2}\nmetrics:\n  stream.triad:\n"
                            "    {ref: 700 GB/s, warn: -4 %, fail: -7 %, from: a dream}\n",
                            encoding="utf-8")
        out = self.check(assay("judge", self.run_dir, "--baseline", str(baseline)), 1)
        self.assertIn(b"a dream", out)
        configs = self.top / "configs"
        (configs / "baselines").mkdir(parents=True)
        (configs / "cpus.yaml").write_text("cpus: []\n", encoding="utf-8")
        (configs / "theory.yaml").write_text("limits: []\n", encoding="utf-8")
        out = self.check(assay("judge", self.run_dir, "--configs", str(configs)), 3)
        self.assertIn(b"UNJUDGED", out)
        # what the run kept counts more than what is installed
        shutil.copytree(configs, f"{self.run_dir}/config")
        self.check(assay("judge", self.run_dir), 3)

    def test_wrong_words_launch_nothing_and_say_what_is_meant(self):
        self.fails(2, "is not a run folder", "judge", str(self.top))
        self.fails(2, "one run folder, not 0", "judge")
        self.fails(2, "one run folder, not 2", "judge", "a", "b")
        self.fails(2, "did you mean 'json'", "judge", self.run_dir, "--format", "jsn")
        self.fails(2, "named twice", "judge", self.run_dir, "--format", "json,json")
        self.fails(2, "unknown report ''", "judge", self.run_dir, "--format", "json,")
        self.fails(2, "did you mean '--baseline'", "judge", self.run_dir, "--baselin", "x")
        self.assertEqual(self.reports(), [])

    def test_a_report_that_cannot_be_written_is_status_4(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

        done = assay("judge", self.run_dir, preexec_fn=limit)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"cannot write '", done.stderr)
        self.assertTrue(done.stdout.startswith(b"FAIL"), "the verdict is still seen")
        self.assertEqual(self.reports(), [])


class Report(Commands):
    def test_the_status_is_0_whatever_the_verdict(self):
        out = self.check(assay("report", self.run_dir), 0)
        self.assertTrue(out.startswith(b"FAIL"))
        self.assertEqual(self.reports(), [])

    def test_one_format_is_printed_several_are_written(self):
        out = self.check(assay("report", self.run_dir, "--format=json"), 0)
        self.assertEqual(json.loads(out)["verdict"], "FAIL")
        out = self.check(assay("report", self.run_dir, "--format", "term,junit"), 0)
        self.assertEqual((out, self.reports()), (b"", ["report.txt", "report.xml"]))

    def test_a_file_gets_the_report_of_its_suffix(self):
        path = self.top / "out.json"
        self.check(assay("report", self.run_dir, "-o", str(path)), 0)
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["exit"], 1)
        self.check(assay("report", self.run_dir, "-o", str(path), "--format", "junit"), 0)
        self.assertTrue(path.read_bytes().startswith(b"<?xml"))
        out = self.check(assay("report", self.run_dir, "-o", "-"), 0)
        self.assertTrue(out.startswith(b"FAIL"))
        self.assertEqual(sorted(p.name for p in self.top.iterdir()), ["a run", "out.json"])

    def test_what_cannot_be_written_is_said(self):
        self.fails(2, "--output takes one report", "report", self.run_dir, "-o", "x",
                   "--format", "json,term")
        self.fails(4, "No such file or directory", "report", self.run_dir, "-o",
                   str(self.top / "none" / "x.txt"))
        self.fails(4, "No space left on device", "report", self.run_dir, "-o", "/dev/full")
        for command in (["report", self.run_dir], ["judge", self.run_dir],
                        ["explain", self.run_dir], ["list", "rules"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([ASSAY, *command], stdout=full, check=False,
                                      stderr=subprocess.PIPE, env=environment())
            self.assertEqual(done.returncode, 4, command)
            self.assertIn(b"No space left on device", done.stderr)


class Terminal(Commands):
    """G10: output that is not a terminal, or a dumb one."""

    COMMANDS = (["report"], ["judge"], ["explain"], ["explain", "v7"], ["explain", "v3"])

    def commands(self):
        return [[c[0], self.run_dir, *c[1:]] for c in self.COMMANDS]

    def test_no_escape_without_a_terminal(self):
        for command in self.commands():
            for env in ({}, {"TERM": "xterm"}, {"COLUMNS": "0"}, {"COLUMNS": "-3"}):
                done = assay(*command, env=environment(**env))
                self.assertNotIn(ESC, done.stdout + done.stderr)
                self.assertNotIn(b"\r", done.stdout + done.stderr)
                self.assertLessEqual(max(map(len, done.stdout.split(b"\n"))), 100)
                self.assertTrue(done.stdout.isascii())

    def test_colour_only_where_it_is_wanted(self):
        for command in self.commands():
            self.assertIn(ESC, on_terminal(*command, columns=80, TERM="xterm"))
            for env in ({"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}, {}):
                self.assertNotIn(ESC, on_terminal(*command, columns=80, **env))

    def test_the_width_is_that_of_the_terminal(self):
        for columns in (40, 60, 133):
            out = on_terminal("report", self.run_dir, columns=columns, TERM="dumb")
            widest = max(map(len, out.split(b"\r\n")))
            self.assertLessEqual(widest, columns)
            self.assertGreater(widest, columns * 0.7)

    def test_signs_beyond_ascii_only_where_the_locale_has_them(self):
        out = assay("report", self.run_dir, env=environment(LC_ALL="C.UTF-8")).stdout
        self.assertIn("≤".encode(), out)
        self.assertNotIn(ESC, out)

    def test_a_reader_that_leaves_is_no_error(self):
        for command, status in zip(self.commands(), (0, 1, 0, 0, 0)):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([ASSAY, *command], stdout=writer, check=False,
                                  stderr=subprocess.PIPE, env=environment())
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (status, b""), command)
        self.assertEqual(self.reports(), ["report.json", "report.txt", "report.xml"])


class Explain(Commands):
    def test_without_an_id_what_is_not_good_is_listed(self):
        out = self.check(assay("explain", self.run_dir), 0)
        lines = [line for line in out.splitlines() if line.startswith(b"v")]
        self.assertTrue(lines[0].split()[1] == b"FAIL")
        self.assertFalse([line for line in lines if line.split()[1] == b"PASS"])
        for line in lines:
            self.check(assay("explain", self.run_dir, line.split()[0].decode()), 0)

    def test_a_verdict_is_told_with_all_that_stands_behind_it(self):
        report = json.loads(assay("report", self.run_dir, "--format", "json").stdout)
        verdict = next(v for v in report["verdicts"]
                       if v["verdict"] == "FAIL" and v["metric"] == "stream.triad")
        out = self.check(assay("explain", self.run_dir, verdict["id"]), 0).decode()
        for text in ("FAIL", "stream.triad store=nt on n01", "theory: values against",
                     "92.9 GB/s", "410 GB/s", "of the reference", verdict["from"], "FAIL       below", "ok after 12s",
                     "pid 101: 16 threads on CPUs 0,8,16", "inherited mask 0-127",
                     "'it'\\''s here'", "steps/001-nodes-stream/", "next ",
                     "assay run nodes --nodes n01"):
            self.assertIn(" ".join(text.split()), " ".join(out.split()))

    def test_a_node_stands_for_its_verdicts(self):
        out = self.check(assay("explain", self.run_dir, "n02"), 0)
        self.assertIn(b"PASS", out)
        self.assertNotIn(b"n01", out)
        out = self.check(assay("explain", self.run_dir, "n03"), 0)
        self.assertIn(b"ended by its limit", out)

    def test_what_is_not_there_is_said(self):
        self.fails(2, "no verdict or node 'v9999', verdicts are v1 to", "explain",
                   self.run_dir, "v9999")
        self.fails(2, "a run folder and perhaps a verdict", "explain")
        self.fails(2, "is not a run folder", "explain", "/nowhere")

    def test_nothing_to_explain(self):
        good = str(runs.make(self.top / "good", nodes=["n02"]))
        configs = self.top / "configs"
        (configs / "baselines").mkdir(parents=True)
        (configs / "cpus.yaml").write_text("cpus: []\n", encoding="utf-8")
        (configs / "theory.yaml").write_text("limits: []\n", encoding="utf-8")
        (configs / "baselines" / "b.yaml").write_text(
            "baseline: b\nmatch: {cpu: AMD EPYC 7713, sockets: 2}\nmetrics:\n" + "".join(
                f"  stream.{m}: {{ref: 300 GB/s, fail: -7 %, from: x}}\n"
                for m in ("copy", "triad", "read")), encoding="utf-8")
        out = self.check(assay("explain", good, "--configs", str(configs)), 0)
        self.assertIn(b"nothing to explain", out)


class List(Commands):
    def test_every_table_is_listed(self):
        for topic, name in (("kernels", b"stream"), ("launchers", b"mpirun"),
                            ("rules", b"baseline"), ("reports", b"junit")):
            out = self.check(assay("list", topic), 0)
            names = [line.split()[0] for line in out.splitlines() if line[:1].strip()]
            self.assertIn(name, names)
            self.assertNotIn(b"probe", names)

    def test_unknown_words_get_a_suggestion(self):
        self.fails(2, "did you mean 'reports'", "list", "report")
        self.fails(2, "unknown list 'xyzzy'", "list", "xyzzy")
        self.fails(2, "not 0 words", "list")

    def test_help_tells_usage_and_options(self):
        for command in ("judge", "report", "explain", "list"):
            out = self.check(assay(command, "--help"), 0)
            self.assertTrue(out.startswith(f"usage: assay {command} ".encode()), out)


STREAM = """STREAM version $Revision: 5.10 $
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:          {0:.1f}     0.018755     0.018713     0.018895
Triad:         {0:.1f}     0.026599     0.026431     0.026855
{1}
"""
GOOD = "Solution Validates: avg error less than 1.000000e-13 on all three arrays"


class Import(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="assay-import-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.out = str(self.top / "imported")

    def stream(self, rates, check=GOOD):
        files = []
        for i, rate in enumerate(rates, 1):
            path = self.top / f"n{i:02}.stream.out"
            path.write_text(STREAM.format(rate, check), encoding="utf-8")
            files.append(str(path))
        return files

    def imports_saying(self, status, *words):
        shutil.rmtree(self.out, True)
        done = assay("import", *words, "-o", self.out)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        with open(os.path.join(self.out, "report.json"), encoding="utf-8") as f:
            return json.load(f), done.stderr.decode()

    def imports(self, status, *words):
        return self.imports_saying(status, *words)[0]

    def hpl(self, name, change=lambda text: text):
        data = pathlib.Path(__file__).parents[1] / "data" / "readings" / "hpl_four.txt"
        path = self.top / name
        path.write_text(change(data.read_text(encoding="utf-8")), encoding="utf-8")
        return str(path)

    def test_files_of_a_fleet_are_compared_with_each_other(self):
        report = self.imports(1, *self.stream([360000, 361000, 140000, 359500, 360500]))
        bad = {v["node"] for v in report["verdicts"] if v["verdict"] == "FAIL"}
        self.assertEqual(bad, {"n03"})
        text = pathlib.Path(self.out, "steps", "003-import-stream", "stdout")
        self.assertIn(b"140000.0", text.read_bytes())

    def test_a_baseline_judges_one_file(self):
        base = self.top / "b.yaml"
        limits = "{ref: 363 GB/s, warn: -4 %, fail: -8 %, from: x}"
        base.write_text("baseline: b\nmatch: {cpu: AMD EPYC 7742, sockets: 2}\nmetrics:\n"
                        f"  stream.triad: {limits}\n  stream.copy: {limits}\n",
                        encoding="utf-8")
        report = self.imports(0, *self.stream([360000]), "--baseline", str(base), "--sockets",
                              "2", "--cpu", "AMD EPYC 7742 64-Core Processor")
        self.assertEqual(report["nodes"][0]["verdict"], "PASS")

    def test_a_table_brings_nodes_and_pairs_of_its_own(self):
        rows = [f"n{i},,stream.triad,store=nt,{rate},GB/s\n"
                for i, rate in enumerate((360, 361, 140, 359.5, 360.5), 1)]
        rows += ["n1,n2,net.bw,size=4194304,24,GB/s\n", "n1,n3,net.bw,size=4194304,12,GB/s\n"]
        path = self.top / "all.csv"
        path.write_text("node,peer,metric,at,value,unit\n" + "".join(rows), encoding="utf-8")
        report = self.imports(1, str(path))
        bad = {v["node"] for v in report["verdicts"] if v["verdict"] == "FAIL"}
        self.assertEqual(bad, {"n3"})
        pairs = {(v["node"], v["peer"]): v["value"] for v in report["verdicts"]
                 if v.get("metric") == "net.bw"}
        self.assertEqual(pairs, {("n1", "n2"): 24e9, ("n1", "n3"): 12e9})
        copies = list(pathlib.Path(self.out, "steps").glob("*/stdout"))
        self.assertEqual([c.read_text() for c in copies if c.stat().st_size],
                         [path.read_text()])
        path.write_text("node,metric,value,unit\nn1,stream.triad,1\n", encoding="utf-8")
        shutil.rmtree(self.out)
        done = assay("import", str(path), "-o", self.out)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"all.csv:2: 3 fields, expected 4", done.stderr)
        self.assertFalse(os.path.exists(self.out))

    def test_of_a_table_of_pairs_a_node_and_a_path_are_named_and_nothing_else(self):
        data = pathlib.Path(__file__).parents[1] / "data" / "readings" / "pairs_d01.csv"
        report = self.imports(1, str(data))
        bad = [v for v in report["verdicts"] if v["verdict"] != "PASS"]
        self.assertEqual([(v["rule"], v["verdict"], v["node"], v.get("peer")) for v in bad],
                         [("pairs", "FAIL", "n05", None), ("pairs", "FAIL", "n02", "n07")])
        self.assertIn("all 7 values of pairs with n05 ", bad[0]["why"])
        self.assertIn("node, port or cable of n05", bad[0]["why"])
        self.assertIn("the pair n02-n07 reaches 12.0 GB/s, 49", bad[1]["why"])
        self.assertIn("both are good with others: path or switch link", bad[1]["why"])
        self.assertEqual(bad[0]["from"], "median of the pairs of 8 nodes")
        self.assertEqual(report.get("coverage", {}).get("missing", []), [])
        # the same table twice is judged twice, each by itself
        again = self.imports(1, str(data), str(data))
        self.assertEqual(len([v for v in again["verdicts"] if v["verdict"] == "FAIL"]), 4)

    def directions(self, name, nodes, rate):
        path = self.top / name
        rows = [f"n{i},n{j},net.pair_bw,{rate(i)},MB/s\n"
                for i in range(1, nodes + 1) for j in range(1, nodes + 1) if i != j]
        path.write_text("node,peer,metric,value,unit\n" + "".join(rows), encoding="utf-8")
        return str(path)

    def test_a_node_that_sends_slowly_is_named_by_a_table_of_all_directions(self):
        table = self.directions("all.csv", 6, lambda i: 6000 if i == 3 else 12000)
        report = self.imports(1, table)
        bad = [v for v in report["verdicts"] if v["verdict"] != "PASS"]
        self.assertEqual([(v["rule"], v["verdict"], v["node"], v["at"]) for v in bad],
                         [("pairs", "FAIL", "n3", {"direction": "out"})])
        self.assertIn("all 5 values of what is sent by n3 reach 6.00 GB/s", bad[0]["why"])
        self.imports(0, self.directions("good.csv", 6, lambda i: 12000))

    def test_a_pair_that_a_table_has_alone_does_not_pass_by_itself(self):
        report = self.imports(3, self.directions("two.csv", 2, lambda i: 12000))
        found = {v["verdict"] for v in report["verdicts"] if v["rule"] == "pairs"}
        self.assertEqual(found, {"UNJUDGED"})
        # of fewer than four nodes none is proven to be the slow one
        report = self.imports(3, self.directions("three.csv", 3,
                                                 lambda i: 6000 if i == 3 else 12000))
        self.assertEqual([v["verdict"] for v in report["verdicts"]
                          if v["rule"] == "pairs" and v["verdict"] != "PASS"], ["WARN"])

    def test_a_table_is_told_with_its_line_what_is_wrong(self):
        path = self.top / "t.csv"
        head = "node,metric,value,unit\nn1,hpl.rate,400,GFLOP/s\n"
        for text, why in (
                (head + "n1,hpl.rate,400,GB/s\n",
                 "t.csv:3: hpl.rate of n1: its unit is FLOP/s, not B/s"),
                (head + "\nn1,hpl.rat,1,s\n",
                 "t.csv:4: unknown metric 'hpl.rat', did you mean 'hpl.rate'? of hpl are known: "
                 "hpl.rate, hpl.time"),
                (head + "n1,hpl.nosuch,1,s\n",
                 "t.csv:3: unknown metric 'hpl.nosuch'; of hpl are known: hpl.rate"),
                (head + "n1,hpll.rate,1,s\n",
                 "t.csv:3: unknown kernel 'hpll', did you mean 'hpl'?"),
                (head.replace("unit", "units"),
                 "t.csv:1: unknown column 'units', did you mean 'unit'?"),
                (head.replace(",", ";"), "t.csv:1: columns are separated by ';'"),
                (head + "n1,hpl.rate,4,Gfl\n", "t.csv:3: value '4', unit 'Gfl': unknown unit")):
            path.write_text(text, encoding="utf-8")
            done = assay("import", str(path), "-o", self.out)
            self.assertEqual(done.returncode, 2, (text, done))
            self.assertIn(why, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertFalse(os.path.exists(self.out))
        path.write_text("node,metric,value,unit,remark\nn1,hpl.rate,66.7,Gflops,x\n",
                        encoding="utf-8")
        report, said = self.imports_saying(3, str(path))
        self.assertIn("t.csv:1: not read: column 'remark'", said)
        self.assertEqual([v["value"] for v in report["verdicts"]
                          if v.get("metric") == "hpl.rate"], [66.7e9])

    def test_an_output_that_is_a_file_is_said_to_be_there(self):
        pathlib.Path(self.out).write_text("mine", encoding="utf-8")
        done = assay("import", *self.stream([360000]), "-o", self.out)
        self.assertEqual(done.returncode, 2, (done.stdout, done.stderr))
        self.assertIn(b"exists and is not an empty folder", done.stderr)
        self.assertEqual(pathlib.Path(self.out).read_text(encoding="utf-8"), "mine")

    def test_a_text_that_was_cut_off_is_an_error_and_a_failed_check_fails(self):
        report = self.imports(3, *self.stream([360000], ""))
        words = {(v["verdict"], v.get("cause")) for v in report["verdicts"]}
        self.assertIn(("ERROR", "no-data"), words)
        self.imports(1, *self.stream([360000], "Failed Validation on array a[]"))

    def test_of_an_hpl_output_that_was_cut_the_rest_counts_and_what_lacks_is_said(self):
        # between two configurations, where nothing but the end shows it
        cut = self.hpl("n1.out", lambda text: "".join(text.splitlines(True)[:55]))
        report = self.imports(3, cut)
        rates = [v["value"] for v in report["verdicts"] if v.get("metric") == "hpl.rate"]
        self.assertEqual(sorted(rates), [6.0742e9, 6.6817e9])
        bad = [v["why"] for v in report["verdicts"] if v["verdict"] == "ERROR"]
        self.assertEqual(bad, [f"{cut}:55: 2 of 4 configurations have no result: the output "
                               "was cut off, there is no 'End of Tests.'"])
        whole = self.imports(3, self.hpl("n1.out"))  # nothing judges the rates
        self.assertNotIn("ERROR", {v["verdict"] for v in whole["verdicts"]})

    def test_a_rate_that_its_time_does_not_make_is_an_error_with_its_line(self):
        torn = self.hpl("n1.out", lambda text: text.replace("6.6817e+00", "6.6817e+01"))
        report = self.imports(3, torn)
        found = [v for v in report["verdicts"] if v["verdict"] == "ERROR"]
        self.assertEqual([v["cause"] for v in found], ["invalid"])
        self.assertIn(f"{torn}:39: 6.6817e+01 Gflops, but N 1000 in 0.10 s makes 6.6",
                      found[0]["why"])
        rates = [v["value"] for v in report["verdicts"] if v.get("metric") == "hpl.rate"]
        self.assertEqual(len(rates), 3)

    def test_files_that_are_nothing_do_not_keep_the_others_out(self):
        files = self.stream([360000, 361000, 359000, 359500])
        errors = ("HPL ERROR from process # 0, on line 419 of function HPL_pdinfo:\n"
                  ">>> Need at least 4 processes for these tests <<<\n\n")
        texts = {"n11.out": "", "n12.out": "\nnobody knows this\n", "n13.out": errors,
                 "old.csv": "node,metric,value,unit\nn1,hpl.nosuch,1,s\n",
                 "n14.out": "Triad:\n\0\0\n"}
        bad = {}
        for name, text in texts.items():
            (self.top / name).write_text(text, encoding="utf-8")
            bad[name] = str(self.top / name)
        (self.top / "n15").mkdir()
        bad["n15"] = str(self.top / "n15")
        report, said = self.imports_saying(3, *bad.values(), *files)
        for line in ("n11.out: an empty file: ", "n12.out:2: 'nobody knows this': not the output",
                     "n13.out:2: HPL gave up: 'Need at least 4 processes for these tests'; start "
                     "as many ranks as P x Q", "old.csv:2: unknown metric 'hpl.nosuch'",
                     "n14.out:2: a byte that is 0", f"assay: cannot read '{bad['n15']}': it is a folder"):
            self.assertIn(line, said)
        self.assertEqual(said.count("\n"), len(bad), said)
        found = {n["name"]: n["verdict"] for n in report["nodes"]}
        self.assertEqual({n for n, verdict in found.items() if verdict == "ERROR"},
                         {"n11", "n12", "n13", "n14", "n15"})
        self.assertLessEqual({"n01", "n02", "n03", "n04"}, set(found))
        self.assertIn("old.csv:2", " ".join(v["why"] for v in report["verdicts"]
                                            if v["verdict"] == "ERROR" and "node" not in v))
        again = assay("judge", self.out)
        self.assertEqual(again.returncode, 3, again)
        # the same with a slow node among them, and with nothing but them
        self.imports(1, bad["n13.out"], *self.stream([360000, 361000, 140000, 359500, 360500]))
        shutil.rmtree(self.out)
        done = assay("import", *bad.values(), "-o", self.out)
        self.assertEqual(done.returncode, 2, done)
        self.assertTrue(done.stderr.endswith(b"not one of these files holds a result\n"), done)
        for name in ("n11.out", "n13.out"):
            done = assay("import", bad[name], "-o", self.out)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done)
        self.assertFalse(os.path.exists(self.out))

    def test_of_switch_ports_counts_what_moved_between_two_readings(self):
        data = pathlib.Path(__file__).parents[1] / "data" / "readings"
        files = []
        for when in ("before", "after"):
            files.append(str(self.top / f"leaf1.{when}"))
            shutil.copy(data / f"perfquery_{when}.txt", files[-1])
        report = self.imports(1, *files)
        self.assertEqual([n["name"] for n in report["nodes"]], ["leaf1"])
        found = [v for v in report["verdicts"] if v["rule"] == "counter"]
        self.assertEqual([v["metric"] for v in found], ["lid-1719:2/link_downed"])
        for what in ("symbol_error +12", "link_downed +1", "port_xmit_discards +40"):
            self.assertIn(what, found[0]["why"])
        still = self.imports(3, files[0], files[0])
        self.assertEqual([v["verdict"] for v in still["verdicts"]
                          if v["rule"] == "counter"], ["PASS"])
        self.imports(3, files[0])

    def test_bad_words_are_refused_in_one_line(self):
        text = self.stream([360000])[0]
        odd = self.top / "odd"
        odd.write_text("nobody knows this\n", encoding="utf-8")
        for words, why in (([], b"no file given"),
                           ([str(odd)], b"not the output of a program that is known"),
                           ([text, "--reader", "steam"], b"did you mean 'stream'?"),
                           ([text, "--sockets", "two"], b"--sockets 'two'"),
                           ([text, "--place", "here"], b"unknown place 'here'"),
                           ([text, "--node", "a/b"], b"--node 'a/b' is no name of a node"),
                           ([text + "x"], b"No such file")):
            done = assay("import", *words, "-o", self.out)
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(why, done.stderr)
        self.assertIn(b"no folder given", assay("import", text).stderr)
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: commands.py ASSAY [TEST...]")
    ASSAY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
