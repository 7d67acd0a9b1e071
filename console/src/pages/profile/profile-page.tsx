import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useMe } from '../../api/me.ts'
import { Page } from '../../layout/page.tsx'
import { UnsavedChanges } from '../../parts/user-details/unsaved-changes.tsx'
import { Role, UserState } from '../../ui/user-state.tsx'
import { OwnAttributes } from './own-attributes.tsx'
import { OwnDetails } from './own-details.tsx'
import { OwnFactors } from './own-factors.tsx'
import { OwnIdentities } from './own-identities.tsx'
import { OwnKeys } from './own-keys.tsx'
import { OwnPassword } from './own-password.tsx'
import { OwnPermissions } from './own-permissions.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { OwnTrustedBrowsers } from './own-trusted-browsers.tsx'
import styles from './profile.module.css'

export default function ProfilePage() {
  const { t } = useLingui()
  const me = useMe()
  const [dirty, setDirty] = useState({ details: false, attributes: false, password: false })
  return (
    <Page
      title={t`Your account`}
      description={
        <span className={styles.under}>
          <bdi>{me.username}</bdi> <Role role={me.role} /> <UserState user={me} />
        </span>
      }
    >
      <OwnDetails me={me} onDirty={(details) => setDirty((now) => ({ ...now, details }))} />
      <OwnAttributes me={me} onDirty={(attributes) => setDirty((now) => ({ ...now, attributes }))} />
      <OwnPassword me={me} onDirty={(password) => setDirty((now) => ({ ...now, password }))} />
      <OwnFactors />
      <OwnTrustedBrowsers />
      <OwnIdentities />
      <OwnSessions />
      <OwnKeys />
      <OwnPermissions me={me} />
      <UnsavedChanges isDirty={dirty.details || dirty.attributes || dirty.password} />
    </Page>
  )
}
