import * as Donor from "../../../domain/giving/Donor.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Donors, takes } from "../Donors.ts"

const donors = operationsOf(Donors)

/** The operations of {@link Donors}. */
export const donorOperations = {
  create: donors.forCaller({
    asks: asks.create,
    keyed: true,
    takes: takes.create,
    gives: Donor.DonorRecord,
    run: (use, input) => use.create(input)
  }),
  read: donors.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: Donor.DonorRecord,
    run: (use, donor) => use.read(donor)
  }),
  list: donors.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Donor.DonorRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: donors.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: Donor.DonorRecord,
    run: (use, donor, patch) => use.update(donor, patch)
  }),
  archive: donors.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: takes.archive,
    gives: Donor.DonorRecord,
    run: (use, donor) => use.archive(donor)
  }),
  merge: donors.forCaller({
    asks: asks.merge,
    keyed: true,
    takes: takes.merge,
    gives: Donor.DonorRecord,
    run: (use, donor, input) => use.merge(donor, input)
  })
}
