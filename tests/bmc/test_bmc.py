#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay reads BMCs: sessions, TLS, credentials, faults, and a fleet of four.

    test_bmc.py BIN-FOLDER [TEST...]

Field cases G07 and G08; the BMCs are those of bmc.py.
"""

import base64
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
BIN = None
PASSWORD = 'CANARY-5e1f-!$ "x\'\\'
GOOD = {"SystemModelName": "PowerEdge C6525", "SystemBiosVersion": "2.6.7",
        "SysProfile": "PerfOptimized", "LogicalProc": "Disabled",
        "NumaNodesPerSocket": "4", "ProcTurboMode": "Enabled", "SetupPassword": "s3cret"}
PROFILE = """
profile: test
attributes:
  SysProfile: {want: PerfOptimized, why: turbo on and power saving off}
  LogicalProc: {want: Disabled, why: SMT is off on HPC nodes}
  NumaNodesPerSocket: {want: "4", why: bandwidth}
"""


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_certificate(folder, addresses):
    """A site's own CA, and one certificate of it for all BMCs."""
    names = ",".join("IP:" + a for a in addresses)
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem",
            "-subj", "/CN=test CA", "-days", "2")
    openssl(folder, "req", *key, "-keyout", "bmc.key", "-out", "bmc.csr", "-subj",
            "/CN=bmc")
    (folder / "ext").write_text("subjectAltName=" + names, encoding="utf-8")
    openssl(folder, "x509", "-req", "-in", "bmc.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", "bmc.pem", "-days", "2", "-extfile", "ext")


def pin_of(folder):
    der = subprocess.run(
        "openssl x509 -in bmc.pem -pubkey -noout | openssl pkey -pubin -outform der | "
        "openssl dgst -sha256 -binary | openssl enc -base64",
        shell=True, cwd=folder, check=True, capture_output=True, text=True).stdout
    return "sha256//" + der.strip()


class Bmcs:
    """bmc.py while a test runs."""

    def __init__(self, folder, config, tls=True):
        (folder / "bmcs.json").write_text(json.dumps(config), encoding="utf-8")
        words = [sys.executable, str(HERE / "bmc.py"), "bmcs.json"]
        self.child = subprocess.Popen(words + (["bmc.pem", "bmc.key"] if tls else []),
                                      cwd=folder, stdout=subprocess.PIPE, text=True)
        word, self.port = self.child.stdout.readline().split()
        assert word == "ready"

    def summary(self):
        """What it has seen so far."""
        context = ssl._create_unverified_context()  # pylint: disable=protected-access
        with urllib.request.urlopen(f"https://127.0.0.1:{self.port}/summary",
                                    context=context, timeout=60) as answer:
            return json.load(answer)

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        out, _ = self.child.communicate(timeout=60)
        return json.loads(out)


class Case(unittest.TestCase):
    nodes = "127.0.7.[1-4]"
    tls = True

    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="assay-bmc-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        if self.tls:
            make_certificate(self.top, [f"127.0.7.{i}" for i in range(1, 30)])
        self.write("test.yaml", PROFILE)
        self.write("cred", f"user=svc\npassword={PASSWORD}\n", 0o600)

    def write(self, name, text, mode=0o644):
        path = self.top / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def bmcs(self, config, **extra):
        for bmc in config.values():
            bmc.setdefault("bios", GOOD)
            bmc.setdefault("user", "svc")
            bmc.setdefault("password", PASSWORD)
        self.service = Bmcs(self.top, config, **extra)
        self.addCleanup(self.service.stop)
        return self.service

    def site(self, more="", bmc="credentials: cred\n  ca: ca.pem"):
        # nothing is reached: the agent of a node that is down
        return self.write("site.yaml", f"site: test\nnodes: {self.nodes}\n"
                          "remote_agent: \"false\"\n"
                          f"bmc:\n  address: \"{{node}}:{self.service.port}\"\n"
                          f"  profile: test.yaml\n  {bmc}\n{more}")

    def assay(self, *words, env=(), **extra):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "COLUMNS": "400",
                       **dict(env)}
        return subprocess.run([str(BIN / "assay"), *map(str, words)], cwd=self.top,
                              env=environment, check=False, capture_output=True,
                              text=True, timeout=200, stdin=subprocess.DEVNULL, **extra)

    def check(self, status, *words, site=True, **extra):
        more = ("--site", "site.yaml") if site else ()
        done = self.assay("bios", "check", *more, "--format", "json", *words, **extra)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        out = json.loads(done.stdout)
        return {(f["node"].rpartition(".")[2], f["result"], f.get("attribute")): f["why"]
                for f in out["findings"] if f["result"] != "MATCH"}, out

    def asked(self, end):
        """How many requests there were so far for what ends so, of anybody."""
        return sum(n for path, n in self.service.summary()["paths"].items()
                   if path.endswith(end))

    def no_session_left(self):
        stats = self.service.stop()
        self.assertEqual(stats["open"], 0, stats)
        return stats


class Fleet(Case):
    def test_four_nodes_are_told_apart_and_put_right(self):
        wrong = {**GOOD, "LogicalProc": "Enabled"}
        self.bmcs({"127.0.7.1": {"bios": wrong},
                   "127.0.7.2": {"pending": {"LogicalProc": "Enabled"}},
                   "127.0.7.3": {}, "127.0.7.4": {}})
        numa = [{"id": i, "cpus": f"{64 * i}-{64 * i + 63}", "package": i}
                for i in range(2)]
        self.write("n3.json", json.dumps({
            "kind": "node", "node": "n3", "facts": {
                "cpu": {"sockets": 2, "smt_control": "notsupported"},
                "cache": {"l3_instances": 16}, "numa": numa}}))
        self.site("facts: {127.0.7.3: n3.json}\n")
        found, out = self.check(1)
        self.assertEqual(found, {
            ("1", "MISMATCH", "LogicalProc"):
                "MISMATCH: LogicalProc is Enabled, profile test wants Disabled: SMT is "
                "off on HPC nodes",
            ("2", "PENDING", "LogicalProc"):
                "PENDING: LogicalProc is Disabled, pending is Enabled; no job is queued: "
                "a reboot will not apply it",
            ("3", "CONTRADICTED", "NumaNodesPerSocket"):
                "CONTRADICTED: NumaNodesPerSocket: BIOS says 4, the running system shows "
                "1, profile test wants 4"})
        self.assertEqual([n["verdict"] for n in out["nodes"]],
                         ["FAIL", "WARN", "FAIL", "PASS"])
        done = self.assay("bios", "remedy", "--site", "site.yaml", "--format", "json")
        steps = {n["name"].rpartition(".")[2]: n for n in json.loads(done.stdout)}
        self.assertEqual(steps["1"]["racadm"], [
            "racadm set BIOS.ProcSettings.LogicalProc Disabled",
            "racadm jobqueue create BIOS.Setup.1-1",
            "racadm serveraction powercycle"])
        self.assertEqual(steps["1"]["redfish"][0]["body"],
                         {"Attributes": {"LogicalProc": "Disabled"}})
        self.assertEqual(steps["2"]["racadm"], ["racadm clearpending BIOS.Setup.1-1"])
        self.assertEqual(steps["3"]["racadm"], ["racadm serveraction powercycle"])
        self.assertNotIn("4", steps)
        stats = self.no_session_left()
        self.assertEqual(sum(stats["logins"].values()), 8)

    def test_a_queued_job_and_the_registry_are_read(self):
        registry = {"RegistryEntries": {"Attributes": [
            {"AttributeName": "LogicalProc", "Value": [
                {"ValueName": "Disabled", "ValueDisplayName": "Off"}]}],
            "Dependencies": [{"Dependency": {
                "MapFrom": [{"MapFromAttribute": "SysProfile", "MapFromCondition": "NEQ",
                             "MapFromProperty": "CurrentValue",
                             "MapFromValue": "Custom"}],
                "MapToAttribute": "ProcTurboMode", "MapToProperty": "ReadOnly",
                "MapToValue": True}}]}}
        jobs = [{"Id": "JID_7", "JobType": "BIOSConfiguration", "JobState": "Scheduled"}]
        self.bmcs({"*": {"registry": registry, "jobs": jobs,
                         "pending": {"LogicalProc": "Disabled"},
                         "system": {"Oem": {"Dell": {"DellSystem": {
                             "ChassisServiceTag": "CH1", "NodeID": "CH1.3"}}}}}})
        self.site()
        found, out = self.check(0)
        self.assertEqual({key[:2] for key in found},
                         {(str(i), "PENDING") for i in range(1, 5)})
        self.assertIn("BIOS job JID_7 is Scheduled: reboot, then check again",
                      found["1", "PENDING", "LogicalProc"])
        self.assertEqual(out["nodes"][0]["chassis"], "CH1")
        done = self.assay("bios", "show", "--site", "site.yaml", "--format", "json")
        shown = json.loads(done.stdout.splitlines()[0])
        self.assertEqual(shown["attributes"]["ProcTurboMode"]["state"], "locked")
        self.assertEqual(shown["attributes"]["LogicalProc"]["shown"], "Off")
        self.assertEqual(shown["attributes"]["SetupPassword"]["current"], "****")
        stats = self.no_session_left()
        asked = [n for path, n in stats["paths"].items() if "BiosRegistry" in path]
        self.assertEqual(asked, [2])  # one model and version, read twice

    def test_other_services_are_found_by_their_links(self):
        self.bmcs({"*": {"generic": True, "pending": {**GOOD, "LogicalProc": "Enabled"}},
                   "127.0.7.2": {"sessions": False},
                   "127.0.7.3": {"generic": True, "sessions": False}})
        self.site()
        found, _ = self.check(0)
        self.assertEqual(set(found), {("1", "PENDING", "LogicalProc"),
                                      ("4", "PENDING", "LogicalProc")})
        done = self.assay("bios", "remedy", "--site", "site.yaml", "--format", "json")
        steps = {n["name"].rpartition(".")[2]: n for n in json.loads(done.stdout)}
        self.assertEqual(steps["1"]["racadm"], [])
        self.assertEqual(steps["1"]["redfish"][0], {
            "method": "PATCH", "uri": "/redfish/v1/Systems/1/Bios/Pending",
            "body": {"Attributes": {"LogicalProc": "Disabled"}}})
        self.no_session_left()


class Faults(Case):
    def test_each_fault_has_its_words(self):
        expected = {"1": ("html", "not JSON but HTML or XML: a login page?"),
                    "2": ("cut", "short body: the answer was cut off"),
                    "3": ("empty", "no BIOS attributes returned"),
                    "4": ("error", "but an error: URI is invalid"),
                    "5": ("huge", "an answer of more than 16 MiB"),
                    "6": ("busy", "BMC busy: HTTP status 503, asked 3 times: no free "
                                  "session")}
        self.bmcs({f"127.0.7.{i}": {"mode": mode} for i, (mode, _) in expected.items()})
        self.nodes = "127.0.7.[1-6]"
        self.site()
        found, _ = self.check(3)
        self.assertEqual(len(found), 6)
        for i, (_, text) in expected.items():
            self.assertIn(text, found[i, "UNREADABLE", None])
        stats = self.no_session_left()
        self.assertEqual(stats["logins"].get("127.0.7.2"), 1)

    def test_slow_bmcs_are_waited_for_side_by_side(self):
        self.bmcs({"*": {"delay": 0.4}})
        self.nodes = "127.0.7.[1-20]"
        self.site()
        found, _ = self.check(0)
        self.assertEqual(found, {})
        self.site(bmc="credentials: cred\n  ca: ca.pem\n  limit: 1s")
        self.service.stop()
        self.bmcs({"*": {"delay": 3}})
        self.site(bmc="credentials: cred\n  ca: ca.pem\n  limit: 1s")
        found, _ = self.check(3)
        self.assertIn("no answer within 1 s", found["1", "UNREADABLE", None])

    def test_a_wrong_password_is_tried_once_and_on_three_bmcs(self):
        self.bmcs({"*": {"password": "other"}})
        self.nodes = "127.0.7.[1-20]"
        self.site()
        found, _ = self.check(3)
        stats = self.no_session_left()
        self.assertEqual(sum(stats["refused"].values()), 3, stats)
        self.assertEqual(set(stats["logins"].values()), {1})
        why = [w for w in found.values() if "not asked: three BMCs have refused" in w]
        self.assertEqual(len(why), 17)
        self.assertEqual(sum("refuses user or password" in w for w in found.values()), 3)

    def test_one_bmc_with_another_password_is_that_ones_fault(self):
        self.bmcs({"*": {}, "127.0.7.2": {"password": "other"}})
        self.site()
        found, _ = self.check(3)
        self.assertEqual(set(found), {("2", "UNREADABLE", None)})
        self.no_session_left()

    def test_nobody_there(self):
        self.bmcs({"*": {}})
        self.site()
        self.service.stop()
        found, _ = self.check(3)
        self.assertEqual({key[1] for key in found}, {"UNREADABLE"})

    def test_a_signal_closes_the_sessions(self):
        self.bmcs({"*": {"delay": 1.0}})
        site = self.site()
        child = subprocess.Popen([str(BIN / "assay"), "bios", "check", "--site",
                                  str(site)], cwd=self.top, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        # all have a session, and one request of each is in the middle
        while self.asked("/Bios") < 4:
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=60)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)
        stats = self.no_session_left()
        self.assertEqual(len(stats["logins"]), 4)
        self.assertTrue(any(p.startswith("DELETE") for p in stats["paths"]), stats)


class Trust(Case):
    nodes = "127.0.7.1"

    def refused(self, bmc, text):
        self.site(bmc=bmc)
        found, _ = self.check(3)
        self.assertIn(text, found["1", "UNREADABLE", None])

    def test_certificates_are_verified(self):
        self.bmcs({"*": {}})
        self.refused("credentials: cred", "its certificate cannot be verified")
        pin = pin_of(self.top)
        other = "sha256//" + base64.b64encode(bytes(32)).decode()
        self.site(bmc=f"credentials: cred\n  pins: {{127.0.7.1: {pin}}}")
        self.assertEqual(self.check(0)[0], {})
        self.refused(f"credentials: cred\n  pins: {{127.0.7.1: {other}}}", "pinned")
        self.refused(f"credentials: cred\n  ca: ca.pem\n  pins: {{127.0.7.1: {other}}}",
                     "pinned")
        self.nodes = "127.0.7.77"  # not in the certificate
        self.site()
        found, _ = self.check(3)
        self.assertIn("cannot be verified", found["77", "UNREADABLE", None])
        stats = self.no_session_left()
        self.assertEqual(stats["logins"], {"127.0.7.1": 1})  # with the right pin alone

    def test_insecure_is_said(self):
        self.bmcs({"*": {}})
        self.site(bmc="credentials: cred\n  insecure: true")
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("its BMC was not verified (insecure: true)", done.stdout)
        self.no_session_left()

    def test_http_needs_insecure(self):
        self.bmcs({"*": {}}, tls=False)
        self.site()
        site = (self.top / "site.yaml").read_text(encoding="utf-8")
        site = site.replace('"{node}', '"http://{node}')
        self.write("site.yaml", site)
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("everybody could read the password", done.stderr)
        self.write("site.yaml", site.replace("ca: ca.pem", "insecure: true"))
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 0, done)


class Racadm(Case):
    """racadm on the node, and over ssh on its BMC."""

    nodes = "localhost"
    tls = False

    def setUp(self):
        super().setUp()
        self.bin = self.top / "bin"
        self.bin.mkdir()
        self.write("bin/racadm", "#!/bin/sh\n"
                   'echo "$*" >> "$(dirname "$0")/../asked"\n'
                   'case "$*" in\n'
                   '"get BIOS.ProcSettings") echo "[Key=BIOS.Setup.1-1#ProcSettings]"\n'
                   '  echo "LogicalProc=Disabled (Pending Value=Enabled)"\n'
                   '  echo "NumaNodesPerSocket=4";;\n'
                   '"get BIOS.SysProfileSettings") echo "SysProfile=PerfOptimized";;\n'
                   '"jobqueue view") echo "------JOB QUEUE------";;\n'
                   "esac\n", 0o755)
        self.env = {"PATH": f"{self.bin}:{os.environ['PATH']}"}

    def racadm_site(self, bmc):
        self.write("site.yaml", f"nodes: {self.nodes}\nremote_agent: 'false'\n"
                   f"bmc:\n  profile: test.yaml\n  {bmc}\n")

    def expect_pending(self):
        found, out = self.check(0, env=self.env)
        self.assertEqual(list(found.values()), [
            "PENDING: LogicalProc is Disabled, pending is Enabled; no job is queued: a "
            "reboot will not apply it"])
        self.assertEqual(out["nodes"][0]["source"], "racadm")
        asked = (self.top / "asked").read_text(encoding="utf-8").splitlines()
        self.assertIn("jobqueue view", asked)
        self.assertEqual(len(asked), 6)

    def test_on_the_node(self):
        self.racadm_site("source: racadm")
        self.expect_pending()

    def test_over_ssh_on_the_bmc(self):
        self.nodes = "n1"
        self.write("bin/bmcsh", "#!/bin/sh\n[ \"$1 $2\" = '-l root' ] && "
                   "[ \"$3\" = n1-bmc ] && shift 3 && exec \"$@\"\n", 0o755)
        self.racadm_site("source: racadm\n  address: '{node}-bmc'\n"
                         "  agent: bmcsh -l root")
        self.expect_pending()

    def test_an_error_is_no_settings(self):
        self.write("bin/racadm", "#!/bin/sh\necho 'ERROR: RAC0999 : not now'\n", 0o755)
        self.racadm_site("source: racadm")
        found, _ = self.check(3, env=self.env)
        self.assertEqual(list(found.values()),
                         ["UNREADABLE: racadm: ERROR: RAC0999 : not now"])
        self.racadm_site("source: redfish")
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bmc.source redfish needs bmc.address", done.stderr)

    def test_saved_files_of_a_site(self):
        (self.top / "dumps").mkdir()
        self.write("dumps/localhost.json", json.dumps({"Attributes": GOOD}))
        self.racadm_site("files: dumps")
        self.assertEqual(self.check(0)[0], {})


class Secrets(Case):
    """The password appears nowhere (field case G07)."""

    def forms(self):
        text = PASSWORD.encode()
        return [text, base64.b64encode(text), base64.b64encode(b"svc:" + text),
                urllib.parse.quote(PASSWORD).encode(), json.dumps(PASSWORD)[1:-1].encode()]

    def watch(self, pid, found, stop):
        """Command lines and environments of the program and its children."""
        while not stop.is_set():
            for folder in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                    if int(folder.name) != pid and int(parent) != pid:
                        continue
                    for name in ("cmdline", "environ"):
                        data = (folder / name).read_bytes()
                        found[folder.name, name] = found.get(
                            (folder.name, name), False) or any(
                                form in data for form in self.forms())
                except (OSError, ValueError, IndexError):
                    continue
            time.sleep(0.01)

    def run_watched(self, words, env=()):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", **dict(env)}
        child = subprocess.Popen([str(BIN / "assay"), *words], cwd=self.top,
                                 env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # past the start, when the environment is still as given
        while child.poll() is None and not self.asked("/Sessions"):
            time.sleep(0.01)
        found, stop = {}, threading.Event()
        watcher = threading.Thread(target=self.watch, args=(child.pid, found, stop))
        watcher.start()
        out, err = child.communicate(timeout=200)
        stop.set()
        watcher.join()
        self.assertTrue(found, out + err)
        self.assertEqual([key for key, bad in found.items() if bad], [])
        return child.returncode, out + err

    def nowhere(self, folder, *texts):
        data = list(texts)
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file():
                data.append(path.read_bytes())
        self.assertTrue(data)
        for form in self.forms() + [b"s3cret"]:
            self.assertFalse(any(form in d for d in data))

    def test_a_run_keeps_what_its_profile_includes(self):
        self.bmcs({"*": {}})
        self.plan()
        self.write("base.yaml", PROFILE.replace("profile: test", "profile: base"))
        self.write("test.yaml", "profile: test\ninclude: base\nattributes:\n"
                   "  ProcTurboMode: {want: Enabled, why: w}\n")
        self.nodes = "localhost"
        self.site(bmc="credentials: cred\n  insecure: true")
        done = self.assay("run", "p.yaml", "--site", "site.yaml", "-o", "out",
                          "--allow-root")
        self.assertIn("run folder:", done.stderr)
        shutil.move(self.top / "out", self.top / "elsewhere")
        (self.top / "base.yaml").unlink()
        again = self.assay("judge", "elsewhere")
        self.assertEqual(again.returncode, done.returncode, again)
        report = self.assay("report", "elsewhere", "--format", "json", "-o", "-")
        self.assertIn("4 of 4 settings are as profile test wants", report.stdout)

    def plan(self):
        return self.write("p.yaml", "plan: p\nlimits: {time: 1m, rounds: 1, preflight: false}\n"
                          "stages:\n  - name: s\n    steps: [{kernel: example}]\n")

    def test_a_run_reads_the_settings_and_keeps_no_secret(self):
        # the BMC of this machine has a name of its own; slow, so that all is seen
        self.bmcs({"*": {"delay": 0.3}})
        self.plan()
        self.nodes = "localhost"
        self.site(bmc="credentials: cred\n  insecure: true")
        code, text = self.run_watched(
            ["run", "p.yaml", "--site", "site.yaml", "-o", "out", "--allow-root"])
        self.assertIn(code, (0, 1, 3), text)
        records = [json.loads(line) for line in
                   (self.top / "out/journal.jsonl").read_text().splitlines()]
        bios = [r for r in records if r["kind"] == "bios" and r["source"] == "redfish"]
        self.assertEqual(len(bios), 1, text)
        self.assertEqual(bios[0]["attributes"]["LogicalProc"], "Disabled")
        self.assertEqual(len(bios[0]["fingerprint"]), 16)
        report = json.loads((self.top / "out/report.json").read_text(encoding="utf-8"))
        self.assertEqual(
            [v["why"] for v in report["verdicts"] if v.get("metric") == "bios.profile"],
            ["3 of 3 settings are as profile test wants; its BMC was not verified "
             "(insecure: true)"])
        self.nowhere(self.top / "out", text)
        # a resumed run knows where the site's files are, and reads nothing twice
        shutil.move(self.top / "out", self.top / "elsewhere")
        done = self.assay("run", "--resume", "elsewhere", "--allow-root")
        self.assertIn(done.returncode, (0, 1, 3), done)
        stats = self.no_session_left()
        self.assertEqual(sum(stats["logins"].values()), 1)

    def test_the_environment_is_emptied(self):
        self.bmcs({"*": {"delay": 0.3}})
        self.nodes = "127.0.7.1"
        self.site(bmc="ca: ca.pem")
        code, text = self.run_watched(
            ["bios", "check", "--site", "site.yaml"],
            {"ASSAY_BMC_USER": "svc", "ASSAY_BMC_PASSWORD": PASSWORD})
        self.assertEqual(code, 0, text)
        self.nowhere(self.top / "none", text)
        done = self.assay("bios", "check", "--site", "site.yaml", start_new_session=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no user and password for the BMCs", done.stderr)

    def test_a_file_that_others_may_read_is_refused(self):
        self.bmcs({"*": {}})
        self.nodes = "127.0.7.1"
        self.site()
        (self.top / "cred").chmod(0o640)
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("chmod 600", done.stderr)
        self.write("cred", "user=svc\npasword=" + PASSWORD + "\n", 0o600)
        done = self.assay("bios", "check", "--site", "site.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cred:2: expected user=... or password=...", done.stderr)
        self.nowhere(self.top / "none", done.stderr.encode())


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
