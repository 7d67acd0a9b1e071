import { useLingui } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { DatabaseAccount } from '../database-account/database-account.tsx'
import { Section } from '../ui/section.tsx'
import styles from './user.module.css'

export function DatabaseTab({ user: { username } }: { user: User }) {
  const { t } = useLingui()
  return (
    <div className={styles.stack}>
      <Section
        title={t`When the user comes`}
        description={t`Many users of the product need an account in its database as well. That is a step of its own.`}
      >
        <DatabaseAccount username={username} kind="create" />
      </Section>
      <Section
        title={t`When the user goes`}
        description={t`Neither account follows the other: not when one is deleted, disabled, or gets another name or password.`}
      >
        <DatabaseAccount username={username} kind="drop" />
      </Section>
    </div>
  )
}
