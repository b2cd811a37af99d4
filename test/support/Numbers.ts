/** What the donors of the tests pay with, each a number of the test processor. */
export const numbers = {
  succeeds: "4242 4242 4242 4242",
  declined: "4000 0000 0000 0002",
  waits: "4000 0027 6000 3184",
  feeLater: "4000 0000 0000 9201",
  dearer: "4000 0000 0000 9219",
  refundWaits: "4000 0000 0000 7726",
  answerLost: "4000 0000 0000 9409",
  requestLost: "4000 0000 0000 9417",
  debit: "000-000 800123456",
  agreement: "waits@example.com"
}
