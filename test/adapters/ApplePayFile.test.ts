import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readApplePayFile } from "../../src/adapters/cli/ApplePayFile.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"

const folder = mkdtempSync(join(tmpdir(), "almoner-apple-"))
const path = join(folder, "file")

afterAll(() => rmSync(folder, { recursive: true }))

it("the file of APPLE_PAY_FILE is read as it is; one that cannot be, is empty or too large ends the start with a sentence", () => {
  const read = () => Effect.runSync(Effect.result(readApplePayFile(path)))
  const refused = (expected: RegExp) => {
    const found = read()
    assert.match(Result.isFailure(found) ? found.failure.message : "", expected)
  }
  refused(/^APPLE_PAY_FILE \(.*\) cannot be read \(.*ENOENT.*\)\. Correct the file, or unset APPLE_PAY_FILE\.$/u)
  writeFileSync(path, "")
  refused(/is empty/u)
  writeFileSync(path, Buffer.alloc(Limits.applePayFileBytes + 1, 1))
  refused(/has more than 65536 bytes/u)
  const whole = Buffer.alloc(Limits.applePayFileBytes, 255)
  writeFileSync(path, whole)
  assert.deepStrictEqual(Buffer.from(Result.getOrThrow(read())), whole)
})
