import { useLingui } from '@lingui/react/macro'
import { api } from '../../api/client.ts'
import { TrustedBrowsers } from '../../parts/factors/trusted-browsers.tsx'

export function OwnTrustedBrowsers() {
  const { t } = useLingui()
  return (
    <TrustedBrowsers
      queryKey={['me', 'trusted-browsers']}
      list={(signal) => api.sessions.listTrustedBrowsers({ signal })}
      remove={(browser_id) => api.sessions.removeTrustedBrowser(browser_id)}
      description={t`You are not asked for your second factor in these browsers.`}
      calls={({ browser_id }) => [
        { operation: 'GET /me/trusted-browsers' },
        { operation: 'DELETE /me/trusted-browsers/{browser_id}', path: { browser_id } },
      ]}
    />
  )
}
