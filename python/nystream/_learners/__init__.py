"""The learners: their parameters and documentation; the core does the work."""

from nystream._learners.ald import *  # noqa: F403
from nystream._learners.auto import *  # noqa: F403
from nystream._learners.baselines import *  # noqa: F403
from nystream._learners.budgeted import *  # noqa: F403
from nystream._learners.every_row import *  # noqa: F403
from nystream._learners.paper import *  # noqa: F403
from nystream._learners.tabular import *  # noqa: F403
