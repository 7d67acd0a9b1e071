import { useQueryClient } from '@tanstack/react-query'
import type { CreateSignInConnection, SignInConnection, UpdateSignInConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { signInConnectionQuery, signInConnectionsKey } from '../../data/sign-in-connections.ts'
import type { Override } from '../../parts/managed/managed-by-file.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** The body a form sends: a new connection, or changes of one. */
export type Save =
  | { connection: SignInConnection; changes: UpdateSignInConnection; how?: Override }
  | { connection?: undefined; creates: CreateSignInConnection }

/** Saves a connection, and has the pages show it as it is then. */
export function useSave(onSaved: (connection: SignInConnection) => void) {
  const queries = useQueryClient()
  return useSubmit(
    (save: Save, idempotencyKey) =>
      save.connection === undefined
        ? api.connections.create(save.creates, { idempotencyKey })
        : // Two administrators who edit at once must not undo each other's changes.
          api.connections.update(save.connection, save.changes, save.how),
    {
      stale: [signInConnectionsKey],
      onSuccess(connection) {
        queries.setQueryData(signInConnectionQuery(connection.connection_id).queryKey, connection)
        onSaved(connection)
      },
    },
  )
}
