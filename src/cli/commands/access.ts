/** `rollbook access`: who has which permissions, and why. */
import type { Command } from 'commander'
import { accessSourceSchema } from '../../operations/access-report/schema.ts'
import type { AccessSource } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import {
  addFilterOptions,
  addMembershipFilterOptions,
  type FilterOptions,
  filterOf,
  withIds,
} from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, formatOf, type OutputOptions, printRows } from '../terminal/output.ts'

type Options = FilterOptions & OutputOptions & RemoteOptions

export function addAccess(program: Command): void {
  const access = program
    .command('access')
    .summary('report who has which permissions')
    .description('Reports who has which permissions, and why.')
  const list = access
    .command('list')
    .summary('list users and the sources of their permissions')
    .description(
      'Lists a row for each user and each source of permissions: the own role, and the role of each group. With several conditions, all of them must match.',
    )
    .action((options: Options) =>
      withServer(options, async (client, signal) => {
        const filter = await withIds(filterOf(options), client, signal)
        await printRows(flatRows(client.access.list(filter, { signal }), options), options, 'access')
      }),
    )
  for (const command of [access, list]) {
    examples(command, [
      ['rollbook access list', 'who has which permissions'],
      ['rollbook access list --output csv > access.csv', 'the report as a spreadsheet'],
      ['rollbook access list --inactive-since 2026-09-01', 'access that was not used since September'],
    ])
  }
  addMembershipFilterOptions(addFilterOptions(list))
  addOutputOptions(list, {
    all: accessSourceSchema.required,
    shown: ['username', 'source', 'role', 'group', 'since', 'granted_by', 'last_login_at', 'second_factor'],
  })
  addRemoteOptions(list)
}

/** For tables and CSV, who gave it is one cell. */
async function* flatRows(rows: AsyncIterable<AccessSource>, options: OutputOptions) {
  const isFlat = ['table', 'csv'].includes(formatOf(options))
  for await (const { granted_by, ...row } of rows) {
    yield { ...row, granted_by: isFlat && granted_by ? (granted_by.name ?? granted_by.id) : granted_by }
  }
}
