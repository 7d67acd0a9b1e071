import { useLingui } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { DatabaseAccount } from '../../../parts/database-account/database-account.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Section } from '../../../ui/section.tsx'

export function DatabaseTab({ user: { username } }: { user: User }) {
  const { t } = useLingui()
  return (
    <div className={styles.stack}>
      <Section
        title={t`When a user joins`}
        description={t`Many users of the product also need an account in its database. That is a separate step.`}
      >
        <DatabaseAccount username={username} kind="create" />
      </Section>
      <Section
        title={t`When a user leaves`}
        description={t`The two accounts are independent: deleting, disabling or renaming one, or changing its password, does not affect the other.`}
      >
        <DatabaseAccount username={username} kind="drop" />
      </Section>
    </div>
  )
}
