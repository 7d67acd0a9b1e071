import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { can, useMe } from '../../api/me.ts'
import { useIsNamed } from '../../data/organizations.ts'
import { rolesQuery } from '../../data/roles.ts'
import {
  everythingLimited,
  includesWord,
  limitedWord,
  ownWords,
  type PermissionGroup,
  permissionGroups,
  scopablePermissions,
} from '../../lib/permission-groups.ts'
import styles from './permission-picker.module.css'
import { usePermissionTexts } from './permission-texts.tsx'

type Props = {
  hint: ReactNode
  value: readonly string[]
  onChange: (value: string[]) => void
  error?: ReactNode
  /** What full access means here. Default: for a key. */
  full?: ReactNode
  /** Whether permissions are offered limited to an organization too. Otherwise only those that the caller cannot give as a whole. */
  offersLimited?: boolean
}

/** Only the caller's own permissions: others cannot be granted. */
export function PermissionPicker({ hint, value, onChange, error, full, offersLimited = false }: Props) {
  const { t } = useLingui()
  const me = useMe()
  const { groups, meanings, withinOrganization } = usePermissionTexts()
  const roles = useQuery({ ...rolesQuery, enabled: can(me, 'users:read') })
  const isNamed = useIsNamed()
  const isShown = (group: PermissionGroup) =>
    isNamed(group) || permissionGroups[group].some((word) => value.includes(word))
  const mayGive = (word: string) => includesWord(me.permissions, word)
  const own = ownWords([...(roles.data ?? []), { permissions: value }]).filter(mayGive)
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
      checked={includesWord(value, word)}
      disabled={isFull || (includesWord(value, word) && !value.includes(word))}
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
        {(Object.keys(permissionGroups) as PermissionGroup[]).filter(isShown).map((group) => {
          const held = permissionGroups[group].filter((word) => mayGive(limitedWord(word)))
          const boxes = held.flatMap((word) => {
            const limited = limitedWord(word)
            const isOffered = offersLimited || !mayGive(word) || value.includes(limited)
            return [
              ...(mayGive(word) ? [box(word, meanings[word])] : []),
              ...(isOffered && scopablePermissions.has(word) ? [box(limited, withinOrganization(meanings[word]))] : []),
            ]
          })
          if (boxes.length === 0) return null
          return (
            <Group key={group} title={groups[group]}>
              {boxes}
            </Group>
          )
        })}
        {own.length > 0 && <Group title={t`Your product`}>{own.map((word) => box(word))}</Group>}
        {(offersLimited || value.includes(everythingLimited)) && mayGive(everythingLimited) && (
          <Group title={t`Organizations`}>{box(everythingLimited, withinOrganization(t`Full access`))}</Group>
        )}
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
