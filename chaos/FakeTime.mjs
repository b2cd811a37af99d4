/** Another wall clock for a database server, by libfaketime, where it is installed. Monotonic time stays as it is. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env } from "node:process"

const places = [
  env["LIBFAKETIME"],
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/local/lib/faketime/libfaketimeMT.so.1",
  "/opt/homebrew/lib/faketime/libfaketime.1.dylib"
]

const library = places.find((place) => place !== undefined && existsSync(place))

/** Why there is none; null when there is. */
export const whyNoFakeTime = () => (library === undefined ? "libfaketime is not installed" : null)

/** `env` is for the server; `set(seconds)` moves its clock so far from the machine's. */
export function fakeTime() {
  const folder = mkdtempSync(join(tmpdir(), "almoner-chaos-clock-"))
  const file = join(folder, "offset")
  const set = (seconds) => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 })
  set(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    },
    folder,
    set,
    close: () => rmSync(folder, { recursive: true, force: true })
  }
}
