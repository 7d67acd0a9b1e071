/** Every user of a directory, in pages; groups are read for each. */
import type { DirectoryServer } from '../connections/service.ts'
import { type DirectoryClient, openClient } from './client.ts'
import { bindToSearch, type EntryParts } from './entry.ts'
import { LdapFailure } from './failure.ts'
import { groupsOf } from './groups.ts'
import { type DirectoryUser, personAttributes, personIn } from './person.ts'

export type UsersPage = { users: DirectoryUser[]; skipped: { dn: string; detail: string }[]; isComplete: boolean }

/** @throws LdapFailure, also if the server ends the listing */
export async function* listUsers(
  parts: EntryParts,
  server: DirectoryServer,
  signal: AbortSignal,
): AsyncIterable<UsersPage> {
  const { settings, mayCall, resolve, stepMs, clock } = parts
  const ca = settings.ca_certificate ?? undefined
  const open = { mayCall, resolve, timeoutMs: 3 * stepMs, ca, signal, largestBytes: 1 << 30 }
  // Groups are read on a second connection, while the first one waits with its page.
  const opened: DirectoryClient[] = []
  try {
    const [client, second] = [await openClient(server, open), await openClient(server, open)]
    opened.push(client, second)
    await bindToSearch(parts, client)
    await bindToSearch(parts, second)
    const search = {
      base: settings.user_base,
      filter: settings.user_filter.replaceAll('{username}', '*'),
      attributes: personAttributes(settings),
    }
    let pages = 0
    for await (const { entries } of client.pages(search)) {
      pages++
      const users: DirectoryUser[] = []
      const skipped: { dn: string; detail: string }[] = []
      for (const entry of entries) {
        try {
          users.push(personIn(entry, await groupsOf(second, entry, settings), { settings, now: clock() }))
        } catch (error) {
          if (!(error instanceof LdapFailure) || error.reason === 'directory_unreachable') throw error
          skipped.push({ dn: entry.dn, detail: error.message })
        }
      }
      // The library takes an empty page for the last one, which it need not be.
      yield { users, skipped, isComplete: pages === 1 || entries.length > 0 }
    }
  } finally {
    await Promise.allSettled(opened.map((one) => one.close()))
  }
}
