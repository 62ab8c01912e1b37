"""The paper's algorithms and their peers, slow and literal: the judge of the product.

Written from the text of Li and Liao, ICML 2023, with a singular value decomposition at each new
basis row and quadratic forms in kernel matrices; the peers from the papers they come from. Least
squares are solved by a QR decomposition of all rows, so that they lose no digits to the normal
equations. Nothing here is shared with the product. Where the text is ambiguous:

- a round whose row joins the dictionary also predicts and updates, and the first row always joins;
- the Newton step uses A_t, after its rank-one update;
- for a kernel whose value of a row with itself is not 1, ALD compares with alpha times that value;
- at the cap a row that would have joined is learned through its projection;
- a row is offered to the dictionary whether or not its gradient is 0, as in the pseudo-code;
- KORS scores a row with that row itself in the dictionary, with weight 1;
- CON-KONS carries over the weights from before the last step in the old space, and does not
  project in the first round of a new one;
- a row that takes the place of another is predicted before, in the span that it changes;
- rows of a peer that samples are kept when the round's uniform number is below the probability.
"""

from __future__ import annotations

from reference_ald import *  # noqa: F403
from reference_budgeted import *  # noqa: F403
from reference_every_row import *  # noqa: F403
from reference_features import *  # noqa: F403
from reference_kernels import *  # noqa: F403
from reference_least_squares import *  # noqa: F403
from reference_losses import *  # noqa: F403
