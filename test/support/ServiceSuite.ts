import { beforeEach, describe } from "@effect/vitest"
import { serviceOver } from "./Late.ts"
import { type Options, type Service, start, startService } from "./Service.ts"
import { memory, type StoresLayer } from "./Stores.ts"

export const inMemory: ReadonlyArray<readonly [name: string, stores: StoresLayer]> = [["memory", memory]]

/** A suite of tests over each of some kinds of stores, each time with a service of its own that runs as long as the suite. */
export const describeServiceWith =
  (options: Omit<Options, "stores">) =>
  (
    kinds: ReadonlyArray<readonly [name: string, stores: StoresLayer]>,
    what: string,
    tests: (service: Service) => void
  ): void => {
    for (const [name, stores] of kinds) {
      describe(`${what} over ${name}`, () => tests(serviceOver({ ...options, stores })))
    }
  }

/** The same with the settings that a service has by itself. */
export const describeService = describeServiceWith({})

/** The same, of which each test begins at {@link start}. */
export const describeServiceFromStart: typeof describeService = (kinds, what, tests) =>
  describeService(kinds, what, (service) => {
    beforeEach(() => {
      service.clock.now = start
    })
    tests(service)
  })

/** Runs with a service over memory in which no time passes by itself. */
export const withService = async (
  run: (service: Service) => Promise<void>,
  bucket?: Service["bucket"]
): Promise<void> => {
  const service = await startService({ stores: memory, ...(bucket === undefined ? {} : { bucket }) })
  service.pace = 0
  await run(service).finally(() => service.stop())
}

/** Does a thing so many times at once. */
export const times = <A>(count: number, run: () => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: count }, run))
