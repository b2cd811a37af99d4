import { Effect } from "effect"

/** Something that is asked through a private field of its own, and breaks where a method is taken off it. */
class Kept {
  readonly #service: object

  constructor(service: object) {
    this.#service = service
  }

  static serviceOf(kept: Kept): object {
    return kept.#service
  }
}

/** The service as an instance of a class with a private field; `used` is told the name of each member that is asked. */
export const asClass = <S extends object>(service: S, used: (member: string) => void = () => {}): S => {
  const prototype: object = Object.create(Kept.prototype)
  for (const name of Object.keys(service)) {
    const member: unknown = Reflect.get(service, name)
    if (typeof member === "function") {
      const value = function (this: Kept, ...args: ReadonlyArray<unknown>): unknown {
        used(name)
        return Reflect.apply(member, Kept.serviceOf(this), args)
      }
      Object.defineProperty(prototype, name, { value })
      continue
    }
    const get = function (this: Kept): unknown {
      const value: unknown = Reflect.get(Kept.serviceOf(this), name)
      if (!Effect.isEffect(value)) return value
      return Effect.suspend(() => {
        used(name)
        return value
      })
    }
    Object.defineProperty(prototype, name, { get })
  }
  return Object.setPrototypeOf(new Kept(service), prototype)
}
