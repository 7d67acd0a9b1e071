import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import styles from './guide-steps.module.css'

/** Words of ours, with **names of the provider** and `values`; a plain string is the provider's own. */
export function GuideText({ children }: { children: MessageDescriptor | string }) {
  const { i18n } = useLingui()
  if (typeof children === 'string') return <bdi dir="ltr">{children}</bdi>
  // With their place as the key, as a name can occur twice.
  return i18n
    ._(children)
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/)
    .map((part, place) => {
      const key = `${place} ${part}`
      if (part.startsWith('**')) {
        return (
          <strong key={key} dir="ltr" className={styles.name}>
            {part.slice(2, -2)}
          </strong>
        )
      }
      return part.startsWith('`') ? (
        <code key={key} dir="ltr">
          {part.slice(1, -1)}
        </code>
      ) : (
        part
      )
    })
}
