import { defineConfig } from "vitest/config"
import { alone } from "./test/Alone.ts"
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

export default defineConfig({
  test: {
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    execArgv: workerFlags,
    // What a test starts inherits it: npm, compilers, linters.
    env: { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${threads}`.trim() },
    projects: [
      { test: { name: "alone", include: files } },
      // To start a process and to import the program takes longer than most files do.
      {
        test: {
          name: "together",
          include: [everywhere],
          exclude: files,
          isolate: false,
          setupFiles: ["test/support/LeftAsFound.ts"]
        }
      }
    ]
  }
})
