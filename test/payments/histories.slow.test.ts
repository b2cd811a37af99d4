import { histories } from "../support/Rounds.ts"
import { actions, lastComparison } from "./actions.ts"
import { describeHistories } from "./Histories.ts"
import { assertAgreement, assertBalanced } from "./Oracle.ts"
import { assertReconciled } from "./Reconciliation.ts"
import { assertDisclosed, makeWorld } from "./World.ts"

describeHistories({
  title: "random histories of gifts",
  law: "end with ours as theirs, in balance and disclosed at every step, and everything told once and in order",
  runs: histories,
  actions,
  makeWorld,
  balanced: async (world) => {
    await assertBalanced(world)
    await assertDisclosed(world)
  },
  lastLook: lastComparison,
  agreed: async (world) => {
    await assertAgreement(world)
    await assertReconciled(world.service, [world.giving])
  }
})
