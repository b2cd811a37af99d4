import { readdirSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { alone } from "./test/Alone.ts"
import { dearest } from "./test/Dearest.ts"
import { threads, workerFlags } from "./test/support/NodeFlags.ts"
import { Progress } from "./test/support/Progress.ts"

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
const slow = "test/**/*.slow.test.ts"
const files = alone.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path))
const slowFiles = files
  .map((path) => path.replace("/*.test.ts", "/*.slow.test.ts"))
  .filter((path) => path.endsWith(".slow.test.ts"))

/** Run by themselves, with more of what they try: processes that are killed at every point, and random lives of gifts. */
const failpoints = "test/**/failpoints*.slow.test.ts"
const histories = "test/payments/{histories,sharedHistories}.slow.test.ts"

/** The laws are asked about thousands of mutants of each machine, or about some. */
const mutants = "test/laws/independentMutants.slow.test.ts"

/** The quick files that are run over other kinds of stores, too. */
const overStores = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith(".test.ts") && !path.endsWith(".slow.test.ts"))
  .filter((path) => /\b(?:everyKind|kindsRun|isRun|describeAtStripe)\b/.test(readFileSync(path, "utf8")))

interface Selection {
  readonly include: Array<string>
  readonly exclude: Array<string>
  /** The kinds of stores (test/support/StoreKinds.ts). */
  readonly stores: "memory" | "databases" | "all"
}

/** Files that get a process each. */
const ofOwnProcess = (name: string, groupOrder: number, { exclude, include, stores }: Selection) => ({
  test: { name, include, exclude, env: { STORES: process.env["STORES"] ?? stores }, sequence: { groupOrder } }
})

/** Files that take turns in processes: to start one and to import the program takes longer than most files do. */
const inTurns = (name: string, groupOrder: number, selection: Selection) => {
  const { test } = ofOwnProcess(name, groupOrder, selection)
  return { test: { ...test, isolate: false, setupFiles: ["test/support/ProcessState.ts"] } }
}

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
    reporters: [process.argv.some((word) => word.startsWith("test/")) ? "default" : "minimal", new Progress()],
    projects: [
      ofOwnProcess("quick alone", 0, { include: files, exclude: [slow], stores: "memory" }),
      inTurns("quick", 1, { include: [everywhere], exclude: [slow, ...files], stores: "memory" }),
      inTurns("databases", 2, { include: overStores, exclude: [], stores: "databases" }),
      ofOwnProcess("slow alone", 3, { include: slowFiles, exclude: [failpoints], stores: "all" }),
      inTurns("slow", 4, { include: [slow], exclude: [failpoints, histories, mutants, ...files], stores: "all" }),
      ofOwnProcess("failpoints", 5, { include: [failpoints], exclude: [], stores: "all" }),
      ofOwnProcess("histories", 6, { include: [histories], exclude: [], stores: "all" }),
      ofOwnProcess("mutants", 7, { include: [mutants], exclude: [], stores: "memory" })
    ]
  }
})
