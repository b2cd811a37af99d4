/**
 * The part of vitest that the domain's tests use, as a registry: a file's tests are collected by evaluating it, and run
 * one by one. What it does not have fails as a test of its own, which the report then names.
 */
import { Effect, Layer, Scope } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"

let collected = []
let path = []

/** `shares`: whether the test leaves something behind for others of its file. */
const register = (name, run, shares = false) => {
  collected.push({ name: [...path, name].join(" > "), run, shares })
}

/** Collects the tests that `evaluate` registers. */
export const collect = (evaluate) => {
  collected = []
  path = []
  evaluate()
  return collected
}

/** The arguments of a case, and its name among the others. */
const argumentsOf = (each) => (Array.isArray(each) ? each : [each])
const nameOf = (name, index) => `${name} (${index + 1})`

const group = (name, body) => {
  path.push(name)
  try {
    body()
  } finally {
    path.pop()
  }
}

export const describe = Object.assign(group, {
  each: (cases) => (name, body) => {
    for (const [index, each] of cases.entries()) group(nameOf(name, index), () => body(...argumentsOf(each)))
  }
})

const runEffect = (effect) => Effect.runPromise(Effect.scoped(effect).pipe(Effect.provide(TestClock.layer())))

export const it = Object.assign((name, run) => register(name, run), {
  each: (cases) => (name, run) => {
    for (const [index, each] of cases.entries()) {
      register(nameOf(name, index), () => run(...argumentsOf(each)))
    }
  },
  effect: (name, run) => register(name, () => runEffect(run())),
  live: (name, run) => register(name, () => Effect.runPromise(Effect.scoped(run())))
})

export const test = it

/** Tests that share what a layer gives: it is built when the first of them runs, and goes with the process. */
export const layer =
  (given) =>
  (...named) => {
    let built
    const context = () => {
      built ??= Effect.runPromise(
        Layer.build(Layer.provideMerge(given, TestClock.layer())).pipe(
          Effect.provideService(Scope.Scope, Scope.makeUnsafe())
        )
      )
      return built
    }
    const effect = (name, run) =>
      register(
        name,
        async () => Effect.runPromise(Effect.scoped(run()).pipe(Effect.provideContext(await context()))),
        true
      )
    const body = () => named.at(-1)(Object.assign((name, run) => register(name, run), { each: it.each, effect }))
    if (typeof named[0] === "string") group(named[0], body)
    else body()
  }

export { assert }
