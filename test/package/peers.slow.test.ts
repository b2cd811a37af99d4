import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { emptyPackage, install, pack, removeFolder } from "./Tarball.ts"

/** What hosts have of their own, in versions other than ours: the lowest and the highest of each range. */
const hosts: ReadonlyArray<ReadonlyArray<string>> = [
  ["vitest@3", "undici@6", "nodemailer@7", "fast-check@3.23.2"],
  ["vitest@4", "undici@8", "nodemailer@10", "fast-check@4"]
]

describe("the ranges of optional peers", () => {
  const folders = [...hosts, []].map(() => emptyPackage())
  let tarball: string

  beforeAll(async () => {
    tarball = (await pack()).path
  })
  afterAll(() => folders.forEach(removeFolder))

  // Nothing is fetched but what packages say of themselves; npm refuses what it cannot resolve.
  it.each(hosts.map((host, index) => [host.join(" "), index] as const))("npm resolves beside %s", async (_, index) => {
    const folder = folders[index] ?? assert.fail()
    const printed = await install(folder, "--package-lock-only", "--ignore-scripts", tarball, ...(hosts[index] ?? []))
    assert.notMatch(printed, /ERESOLVE/)
  })

  it("would be found where they were too narrow", async () => {
    const folder = folders.at(-1) ?? assert.fail()
    const refused = await install(folder, "--package-lock-only", tarball, "undici@5").catch(
      (failure: unknown) => failure
    )
    assert.match(String(refused), /ERESOLVE/)
  })
})
