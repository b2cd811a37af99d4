import { assert, it } from "@effect/vitest"
import { accountFault } from "../../../src/domain/access/Processor.ts"

it("an account's identifier is told by the signs that its processor makes it of", () => {
  for (const [processor, id] of [
    ["stripe", "acct_1A"],
    ["acme", "a 1~"]
  ] as const) {
    assert.isNull(accountFault(processor, id))
    for (const sign of ["…", "é", "\n", "\u007f"]) assert.isNotNull(accountFault(processor, id + sign), processor)
  }
  assert.isNotNull(accountFault("stripe", "a 1~"))
})
