import { Trans, useLingui } from '@lingui/react/macro'
import type { Me } from 'rollbook/client'
import { GroupLink, PermissionSources } from '../../parts/permissions/permission-sources.tsx'
import { Section } from '../../ui/section.tsx'
import styles from './profile.module.css'

/** The groups and permissions of the viewer, who cannot change them here. Nothing for those without any. */
export function OwnPermissions({ me: { groups, permission_sources } }: { me: Me }) {
  const { t } = useLingui()
  if (groups.length === 0 && permission_sources.length === 0) return null
  return (
    <Section title={t`What you may do`} description={t`Your permissions, and where each comes from.`}>
      {groups.length > 0 && (
        <p className={styles.groups}>
          <Trans>Your groups:</Trans>{' '}
          {groups.map(({ group_id, name }) => (
            <GroupLink key={group_id} groupId={group_id} name={name} />
          ))}
        </p>
      )}
      {permission_sources.length > 0 && <PermissionSources rows={permission_sources} />}
    </Section>
  )
}
