import { Skeleton } from '@mantine/core'
import styles from './section.module.css'

/** The sections of a page while its record loads. */
export function WaitingSections({ heights = [132, 260] }: { heights?: readonly number[] }) {
  return (
    <div aria-busy="true" className={styles.waiting}>
      {heights.map((height) => (
        <Skeleton key={height} height={height} />
      ))}
    </div>
  )
}
