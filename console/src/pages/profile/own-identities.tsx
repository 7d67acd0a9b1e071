import { useLingui } from '@lingui/react/macro'
import { api } from '../../api/client.ts'
import { Identities } from '../../parts/identities/identities.tsx'

export function OwnIdentities() {
  const { t } = useLingui()
  return (
    <Identities
      queryKey={['me', 'identities']}
      list={(signal) => api.connections.myIdentities({ signal })}
      remove={(identityId) =>
        identityId === undefined ? api.connections.removeMyIdentities() : api.connections.removeMyIdentity(identityId)
      }
      description={t`Company accounts that you sign in with.`}
      consequence={t`You no longer sign in with them, and your other sessions end.`}
      calls={{
        list: { operation: 'GET /me/identities' },
        remove: (identity_id) =>
          identity_id === undefined
            ? { operation: 'DELETE /me/identities' }
            : { operation: 'DELETE /me/identities/{identity_id}', path: { identity_id } },
      }}
    />
  )
}
