import type { Accounts } from "./Accounts.ts"
import { type Books, platform } from "./Books.ts"
import type { Intents } from "./Intents.ts"
import { invalid, type Json, metadataOf, missingObject, senseless } from "./Protocol.ts"

interface Transfer extends Json {
  readonly id: string
  readonly amount: number
  readonly destination: string
  readonly source_transaction: string
  readonly reversals: Array<Json & { readonly id: string; readonly amount: number }>
}

const leftOf = ({ amount, reversals }: Transfer) => reversals.reduce((left, reversal) => left - reversal.amount, amount)

/** Transfers of the platform to connected accounts, drawn on charges, and their reversals. */
export const makeTransfers = (books: Books, accounts: Accounts, { intents, ofCharge }: Intents) => {
  const transfers = new Map<string, Transfer>()

  const drawnOn = (charge: string) =>
    [...transfers.values()].filter(({ source_transaction }) => source_transaction === charge)

  const shown = ({ reversals, ...transfer }: Transfer): Json => ({
    ...transfer,
    amount_reversed: reversals.reduce((sum, { amount }) => sum + amount, 0),
    reversed: leftOf({ ...transfer, reversals } as Transfer) === 0,
    // The newest ten, newest first.
    reversals: { object: "list", data: reversals.toReversed().slice(0, 10), has_more: reversals.length > 10 }
  })

  const transferOf = (id: string) => {
    const found = transfers.get(id)
    if (found === undefined) throw missingObject("transfer")
    return found
  }

  const sourceOf = (charge: string) => {
    const found = [...intents.values()].find(({ id, status }) => `ch_${id}` === charge && status === "succeeded")
    if (found === undefined) throw missingObject("charge")
    if (found.transfer_data !== null) throw senseless("a destination charge cannot be a source_transaction")
    return found
  }

  const create = (form: Json) => {
    if (books.acting !== platform) throw invalid("platform_only")
    const { destination, source_transaction: charge } = form as Record<string, string>
    if (destination === undefined || charge === undefined) throw invalid("parameter_missing")
    if (accounts.isGone(destination)) throw missingObject("destination")
    if (accounts.isShut(destination)) throw invalid("insufficient_capabilities_for_transfer")
    const { amount: taken, currency, transfer_group } = sourceOf(charge)
    const amount = Number(form.amount)
    if (form.currency !== currency) throw senseless("the currency must be that of the charge")
    if (form.transfer_group !== undefined && form.transfer_group !== transfer_group) throw senseless("another group")
    const gone = drawnOn(charge).reduce((sum, transfer) => sum + leftOf(transfer), 0)
    if (!(amount > 0) || gone + amount > taken) throw senseless("more than the source amount")
    const made: Transfer = {
      id: books.next("tr"),
      object: "transfer",
      amount,
      currency,
      created: books.now(),
      destination,
      source_transaction: charge,
      transfer_group,
      metadata: metadataOf(form),
      reversals: []
    }
    transfers.set(made.id, made)
    books.own(made.id)
    books.move("transfer", -amount, 0, currency, shown(made))
    books.emit("transfer.created", shown(made))
    return shown(made)
  }

  const reverse = (id: string, form: Json) => {
    const transfer = transferOf(id)
    const amount = Number(form.amount ?? leftOf(transfer))
    if (leftOf(transfer) === 0) throw senseless("already fully reversed")
    if (!(amount > 0) || amount > leftOf(transfer)) throw senseless("more than is left")
    if (accounts.isShut(transfer.destination)) throw invalid("balance_insufficient")
    const made = {
      id: books.next("trr"),
      object: "transfer_reversal",
      amount,
      transfer: id,
      metadata: metadataOf(form)
    }
    transfer.reversals.push(made)
    books.own(made.id)
    books.move("transfer_refund", amount, 0, transfer.currency, made)
    books.emit("transfer.reversed", shown(transfer))
    return made
  }

  return {
    create,
    reverse,
    list: ({ transfer_group, ...form }: Json) => {
      const all = [...transfers.values()].filter((each) =>
        [undefined, each.transfer_group].includes(transfer_group as string)
      )
      return books.page(all.map(shown), form)
    },
    show: (id: string) => shown(transferOf(id)),
    listReversals: (id: string, form: Json) => books.page(transferOf(id).reversals, form),

    /** What of a charge of ours is at other accounts now. */
    sharedOut: (charge_id: string) =>
      ofCharge(charge_id)
        .flatMap(({ id }) => drawnOn(`ch_${id}`))
        .reduce((sum, transfer) => sum + leftOf(transfer), 0),

    /** What an account has got by transfers, and still has. */
    arrived: (account: string) =>
      [...transfers.values()]
        .filter(({ destination }) => destination === account)
        .reduce((sum, transfer) => sum + leftOf(transfer), 0)
  }
}
