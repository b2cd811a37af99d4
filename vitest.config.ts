import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { alone } from "./test/Alone.ts"
import { dearest } from "./test/Dearest.ts"
import { threads, workerFlags } from "./test/support/NodeFlags.ts"

// vitest's reporter calls Map.groupBy when a test fails; Node 20 does not have it.
if (!("groupBy" in Map)) {
  Object.defineProperty(Map, "groupBy", {
    value: <K, V>(items: Iterable<V>, key: (item: V, index: number) => K): Map<K, Array<V>> => {
      const groups = new Map<K, Array<V>>()
      let index = 0
      for (const item of items) {
        const k = key(item, index++)
        const group = groups.get(k)
        if (group === undefined) groups.set(k, [item])
        else group.push(item)
      }
      return groups
    }
  })
}

const everywhere = "test/**/*.test.ts"
const files = alone.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path))

/**
 * Long files begin first, so that none is left over at the end, while other processes have nothing to do. Vitest goes by what
 * files took in the run before, and by their size where there was none: some of the longest are short texts.
 */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(specifications)
    const isDear = ({ moduleId }: TestSpecification) => dearest.some((path) => moduleId.endsWith(`/${path}`))
    return [...sorted.filter(isDear), ...sorted.filter((each) => !isDear(each))]
  }
}

const isShuffled = process.argv.some((word) => word.startsWith("--sequence.shuffle"))

export default defineConfig({
  test: {
    ...(isShuffled ? {} : { sequence: { sequencer: LongestFirst } }),
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Some wait for processes, packages and times that pass: a third one works meanwhile.
    maxWorkers: 3,
    execArgv: workerFlags,
    // What a test starts inherits it: npm, compilers, linters.
    env: { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${threads}`.trim() },
    projects: [
      { test: { name: "alone", include: files, sequence: { groupOrder: 0 } } },
      // To start a process and to import the program takes longer than most files do.
      {
        test: {
          name: "together",
          include: [everywhere],
          exclude: files,
          isolate: false,
          sequence: { groupOrder: 1 },
          setupFiles: ["test/support/LeftAsFound.ts"]
        }
      }
    ]
  }
})
