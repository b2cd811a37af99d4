import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { pictures } from "../support/Pictures.ts"
import { almoner, json, newOrganisation, world } from "./CommandWorld.ts"

layer(world)("almoner settings", (it) => {
  it.effect("take a picture from a file, show its name, and say what is wrong with another file", () =>
    Effect.gen(function* () {
      yield* newOrganisation("heron")
      const settings = (name: string, ...words: ReadonlyArray<string>) =>
        ["settings", name, ...words, "--organisation", "heron"] as const
      const folder = mkdtempSync(join(tmpdir(), "logo-"))
      const file = (name: string, bytes: Uint8Array) => {
        writeFileSync(join(folder, name), bytes)
        return join(folder, name)
      }
      const png = Buffer.from(pictures.png, "base64")
      const set = yield* json(...settings("set-logo", file("logo.svg", png)))
      assert.match(set.logo, /^[0-9a-f]{32}\.png$/)
      assert.deepStrictEqual(yield* json(...settings("show")), set)
      for (const [path, says] of [
        [file("real.svg", Buffer.from("<svg/>")), /PNG, JPEG or WebP/],
        [file("large.png", Buffer.concat([png, Buffer.alloc(Limits.logoBytes)])), /at most 200000 bytes/],
        [join(folder, "none.png"), /file that can be read/]
      ] as const) {
        const { status, stderr } = yield* almoner(...settings("set-logo", path))
        assert.notStrictEqual(status, 0)
        assert.match(stderr, says)
      }
      const { stderr } = yield* almoner(...settings("update", "--accent-color", "#ffcc00"))
      assert.match(stderr, /too light to be read .* such as #[0-9a-f]{6}\./)
      assert.deepStrictEqual(yield* json(...settings("show")), set)
      assert.isNull((yield* json(...settings("remove-logo"))).logo)
    })
  )
})
