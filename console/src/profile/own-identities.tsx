import { useLingui } from '@lingui/react/macro'
import { api } from '../api/client.ts'
import { Identities } from '../identities/identities.tsx'

export function OwnIdentities() {
  const { t } = useLingui()
  return (
    <Identities
      queryKey={['me', 'identities']}
      list={(signal) => api.connections.myIdentities({ signal })}
      remove={() => api.connections.removeMyIdentities()}
      description={t`Accounts of companies with which you sign in.`}
      consequence={t`You no longer sign in with them, and your other sessions end.`}
      calls={{ list: { operation: 'GET /me/identities' }, remove: { operation: 'DELETE /me/identities' } }}
    />
  )
}
