import { histories } from "../support/Rounds.ts"
import { describeHistories } from "./Histories.ts"
import { actions, lastLook } from "./shared/actions.ts"
import { makeHouses } from "./shared/Houses.ts"
import { assertAgreement, assertBalanced } from "./shared/Oracle.ts"

describeHistories({
  title: "random histories of gifts that are shared and repeated by three organisations",
  law: "end with ours as theirs, in balance on each side at every step, and everything told once",
  // Each step is looked at on three sides, which takes its time.
  runs: Math.max(50, Math.ceil(histories / 10)),
  actions,
  makeWorld: makeHouses,
  balanced: assertBalanced,
  lastLook,
  agreed: assertAgreement
})
