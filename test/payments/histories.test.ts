import { histories } from "../support/Rounds.ts"
import { actions, lastLook } from "./actions.ts"
import { describeHistories } from "./Histories.ts"
import { agreed, balanced } from "./Oracle.ts"
import { makeWorld } from "./World.ts"

describeHistories({
  title: "random histories of gifts",
  law: "end with ours as theirs, in balance at every step, and everything told once and in order",
  runs: histories,
  actions,
  makeWorld,
  balanced,
  lastLook,
  agreed
})
