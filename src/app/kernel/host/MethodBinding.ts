import { Context, Effect, Predicate } from "effect"

/** The names of an object's members, those that it has by its classes included. */
export const memberNames = (service: object): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (let at: object | null = service; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
  }
  return [...names].filter((name) => name !== "constructor")
}

/**
 * A service whose methods may be taken off it and passed on: each is called on the service itself, so that one that is
 * written as a class keeps its `this` and its private fields.
 */
export const bindMethods = <S extends object>(service: S): S =>
  Object.create(
    service,
    Object.fromEntries(
      memberNames(service).map((name) => {
        const get = (): unknown => {
          const member: unknown = Reflect.get(service, name)
          return Predicate.isFunction(member) ? member.bind(service) : member
        }
        return [name, { get, enumerable: true }]
      })
    )
  )

const isService = (value: unknown): value is object =>
  Predicate.isObject(value) &&
  !Effect.isEffect(value) &&
  memberNames(value).some((name) => Predicate.isFunction(Reflect.get(value, name)))

/** All services of a context that are ours by their keys, as {@link bindMethods} gives them. */
export const bindServices = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(
    new Map(
      [...context.mapUnsafe].map(([key, service]) => [
        key,
        key.startsWith("almoner/") && isService(service) ? bindMethods(service) : service
      ])
    )
  )
