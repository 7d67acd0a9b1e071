import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { can, useMe } from '../../api/me.ts'
import { rolesQuery } from '../../data/roles.ts'
import { ownWords, type PermissionGroup, permissionGroups } from '../../lib/permission-groups.ts'
import styles from './permission-picker.module.css'
import { usePermissionTexts } from './permission-texts.tsx'

type Props = {
  hint: ReactNode
  value: readonly string[]
  onChange: (value: string[]) => void
  error?: ReactNode
  /** What full access means here. Default: for a key. */
  full?: ReactNode
}

/** Only the caller's own permissions: others cannot be granted. */
export function PermissionPicker({ hint, value, onChange, error, full }: Props) {
  const { t } = useLingui()
  const me = useMe()
  const { groups, meanings } = usePermissionTexts()
  const roles = useQuery({ ...rolesQuery, enabled: can(me, 'users:read') })
  const own = ownWords([...(roles.data ?? []), { permissions: value }]).filter((word) => can(me, word))
  const isFull = value.includes('*')
  const box = (word: string, meaning?: string) => (
    <Checkbox
      key={word}
      classNames={{ label: styles.label ?? '' }}
      label={
        <>
          <code dir="ltr">{word}</code>
          {meaning !== undefined && <span className={styles.meaning}>{meaning}</span>}
        </>
      }
      checked={isFull || value.includes(word)}
      disabled={isFull}
      onChange={({ currentTarget: { checked } }) =>
        onChange(checked ? [...value, word] : value.filter((one) => one !== word))
      }
    />
  )
  return (
    <fieldset className={styles.picker} {...(error && { 'aria-describedby': 'permission-fault' })}>
      <legend>
        <Trans>Permissions</Trans>
      </legend>
      <p className={styles.hint}>{hint}</p>
      {error && (
        <p id="permission-fault" className={styles.fault}>
          {error}
        </p>
      )}
      <div className={styles.groups}>
        {(Object.keys(permissionGroups) as PermissionGroup[]).map((group) => {
          const held = permissionGroups[group].filter((word) => can(me, word))
          if (held.length === 0) return null
          return (
            <Group key={group} title={groups[group]}>
              {held.map((word) => box(word, meanings[word]))}
            </Group>
          )
        })}
        {own.length > 0 && <Group title={t`Your product`}>{own.map((word) => box(word))}</Group>}
        {can(me, '*') && (
          <Group title={t`Full access`}>
            <Checkbox
              classNames={{ label: styles.label ?? '' }}
              label={
                <>
                  <code dir="ltr">*</code>
                  <span className={styles.meaning}>
                    {full ?? (
                      <Trans>
                        Full access, including permissions of later releases. Anyone with this key controls every
                        account.
                      </Trans>
                    )}
                  </span>
                </>
              }
              checked={isFull}
              onChange={({ currentTarget: { checked } }) => onChange(checked ? ['*'] : [])}
            />
          </Group>
        )}
      </div>
    </fieldset>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  )
}
