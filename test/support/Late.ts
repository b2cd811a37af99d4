import { afterAll, assert, beforeAll, beforeEach } from "@effect/vitest"
import { type Options, type Service, startService } from "./Service.ts"

/** A name at once for what a hook makes before the tests: each use of it is a use of what was made last. */
const late = <T extends object>() => {
  let held: T | undefined
  const made = () => held ?? assert.fail("it is used before the tests begin")
  const named = new Proxy<T>(Object.create(null), {
    get: (_, key) => Reflect.get(made(), key),
    set: (_, key, value) => Reflect.set(made(), key, value)
  })
  const hold = (value: T) => {
    held = value
  }
  return { hold, named }
}

/** What is made before each test. */
export const anew = <T extends object>(make: () => Promise<T>): T => {
  const { hold, named } = late<T>()
  beforeEach(async () => hold(await make()))
  return named
}

/** What is made before all tests. */
export const once = <T extends object>(make: () => Promise<T>): T => {
  const { hold, named } = late<T>()
  beforeAll(async () => hold(await make()))
  return named
}

/** A service that starts before all tests and stops after them. */
export const serviceOver = (options: Options): Service => {
  const service = once(() => startService(options))
  afterAll(() => service.stop())
  return service
}
