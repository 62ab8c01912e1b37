//! The updates equal their definitions, computed with whole matrices.

use nalgebra::{DMatrix, DVector};
use nystream::algorithms::Algorithm;
use nystream::kernels::Linear;
use nystream::updates::{
    Gradient, KernelGradient, KernelNewton, KernelRidge, LeastSquares, Newton, Rate,
    loss_derivative,
};
use nystream::{AogdAldParams, NonsAldParams};
use proptest::prelude::*;

/// A round: features of growing length, a label, and whether a coordinate is gained first.
fn rounds() -> impl Strategy<Value = Vec<(Vec<f64>, f64, bool)>> {
    let phi = prop::collection::vec(-1.0..1.0, 12);
    prop::collection::vec((phi, -2.0..2.0, prop::bool::weighted(0.3)), 1..60)
}

fn padded(vector: &DVector<f64>) -> DVector<f64> {
    vector.clone().insert_row(vector.len(), 0.0)
}

proptest! {
    #[test]
    fn newton_step_equals_its_definition(
        (rounds, mu, eta, bound) in (rounds(), 0.1..5.0, 0.05..1.0, 0.3..2.0)
    ) {
        let mut newton = Newton::new(mu, eta).unwrap();
        let mut a = DMatrix::<f64>::zeros(0, 0);
        let mut w = DVector::<f64>::zeros(0);
        for (phi, y, grow) in rounds {
            // The definition: project w onto |w . phi| <= bound in the norm of A, in the old coordinates.
            let mut x = DVector::from_column_slice(&phi[..w.len()]);
            let inverse = a.clone().try_inverse().unwrap_or_default();
            let mut yhat = w.dot(&x);
            if yhat.abs() > bound {
                let g = &inverse * &x;
                let target = bound * yhat.signum();
                w -= (yhat - target) / x.dot(&g) * g;
                yhat = target;
            }
            prop_assert!((newton.predict(x.as_slice(), bound) - yhat).abs() < 1e-10);
            if grow && w.len() < 12 {
                let coordinate = 0.1 + phi[w.len()].abs();
                x = x.insert_row(w.len(), coordinate);
                w = padded(&w);
                let n = a.nrows();
                a = a.insert_row(n, 0.0).insert_column(n, 0.0);
                a[(n, n)] = mu;
                newton.grow(coordinate);
            }
            // A += eta e^2 phi phi^T, then w -= e A^{-1} phi.
            let e = loss_derivative(yhat, y);
            a += eta * e * e * &x * x.transpose();
            if !w.is_empty() {
                w -= e * a.clone().try_inverse().unwrap() * x;
            }
            newton.step(e);
            for (i, w) in w.iter().enumerate() {
                prop_assert!((newton.w()[i] - w).abs() < 1e-10);
            }
        }
        let n = w.len();
        let root = newton.weights().root();
        let columns = root.columns();
        let root = DMatrix::from_fn(n, n, |i, j| if i <= j { columns.row(j)[i] } else { 0.0 });
        prop_assert!((&root * root.transpose() * a - DMatrix::identity(n, n)).amax() < 1e-9);
    }

    #[test]
    fn gradient_step_equals_its_definition((rounds, bound) in (rounds(), 0.3..2.0)) {
        let mut gradient = Gradient::new(Rate::adaptive(bound));
        let mut w = DVector::<f64>::zeros(0);
        let mut squares = 1.0;
        for (phi, y, grow) in rounds {
            if grow && w.len() < 12 {
                gradient.grow();
                w = padded(&w);
            }
            let x = DVector::from_column_slice(&phi[..w.len()]);
            let yhat = w.dot(&x);
            prop_assert!((gradient.predict(x.as_slice()) - yhat).abs() < 1e-12);
            let e = loss_derivative(yhat, y);
            squares += (e * &x).norm_squared();
            w -= bound / squares.sqrt() * e * &x;
            w *= (bound / w.norm()).min(1.0);
            gradient.step(x.as_slice(), e);
            for (i, w) in w.iter().enumerate() {
                prop_assert!((gradient.w()[i] - w).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn kernel_gradient_with_the_linear_kernel_is_gradient_descent_on_the_rows(
        (rounds, bound) in (rounds(), 0.3..2.0)
    ) {
        let mut descent = KernelGradient::new(Linear {}.into(), Rate::adaptive(bound));
        let mut gradient = Gradient::new(Rate::adaptive(bound));
        (0..12).for_each(|_| gradient.grow());
        for (x, y, _) in rounds {
            let yhat = gradient.predict(&x);
            prop_assert!((descent.learn(&x, y) - yhat).abs() < 1e-11);
            gradient.step(&x, loss_derivative(yhat, y));
            let norm = gradient.w().iter().map(|w| w * w).sum::<f64>().sqrt();
            prop_assert!((descent.norm() - norm).abs() < 1e-11);
        }
    }

    #[test]
    fn least_squares_equal_their_definition(
        (rounds, ridge, forward) in (rounds(), 0.05..5.0, prop::bool::ANY)
    ) {
        let mut squares = LeastSquares::new(ridge, forward).unwrap();
        let mut a = DMatrix::<f64>::zeros(0, 0);
        let mut b = DVector::<f64>::zeros(0);
        for (phi, y, grow) in rounds {
            if (grow || b.is_empty()) && b.len() < 12 {
                let n = b.len();
                a = a.resize(n + 1, n + 1, 0.0);
                a[(n, n)] = ridge;
                b = padded(&b);
                squares.grow();
            }
            let x = DVector::from_column_slice(&phi[..b.len()]);
            let term = &x * x.transpose();
            // Forward: as if the row had been learned already, with the label 0.
            let seen = if forward { &a + &term } else { a.clone() };
            let yhat = (seen.try_inverse().unwrap() * &b).dot(&x);
            prop_assert!((squares.predict(x.as_slice()) - yhat).abs() < 1e-10);
            prop_assert!((squares.learn(x.as_slice(), y) - yhat).abs() < 1e-10);
            a += term;
            b += y * x;
        }
    }

    #[test]
    fn kernel_ridge_with_the_linear_kernel_is_least_squares_on_the_rows(
        (rounds, ridge) in (rounds(), 0.05..5.0)
    ) {
        let mut kernel_ridge = KernelRidge::new(Linear {}.into(), ridge).unwrap();
        let [mut plain, mut forward] =
            [false, true].map(|forward| LeastSquares::new(ridge, forward).unwrap());
        (0..12).for_each(|_| { plain.grow(); forward.grow(); });
        for (x, y, _) in rounds {
            prop_assert!((kernel_ridge.hypothesis().predict(&x) - plain.predict(&x)).abs() < 1e-9);
            let regression = kernel_ridge.learn(&x, y, 1.0);
            prop_assert!((regression.yhat - plain.learn(&x, y)).abs() < 1e-10);
            prop_assert!((regression.forward() - forward.learn(&x, y)).abs() < 1e-10);
        }
    }

    #[test]
    fn kernel_newton_with_the_linear_kernel_is_a_newton_step_on_the_rows(
        (rounds, mu, eta, bound) in (rounds(), 0.1..5.0, 0.05..1.0, 0.3..2.0)
    ) {
        let mut kernel_newton =
            KernelNewton::new(Linear {}.into(), mu, Some(eta), Some(bound)).unwrap();
        let mut newton = Newton::new(mu, eta).unwrap();
        newton.restart(12);
        for (x, y, _) in rounds {
            let yhat = newton.predict(&x, bound);
            prop_assert!((kernel_newton.hypothesis().predict(&x) - yhat).abs() < 1e-9);
            let look = kernel_newton.look(&x);
            prop_assert!((look.yhat - yhat).abs() < 1e-9);
            let e = loss_derivative(yhat, y);
            kernel_newton.step(&x, &look, e, true);
            newton.step(e);
        }
    }

    #[test]
    fn predictions_stay_within_the_bound(
        rows in prop::collection::vec((prop::collection::vec(-2.0..2.0, 2), -5.0..5.0), 1..80)
    ) {
        let mut learner = NonsAldParams { bound: 0.7, mu: 0.1, ..NonsAldParams::default() }.build().unwrap();
        for (x, y) in rows {
            prop_assert!(learner.predict(&x).abs() <= 0.7);
            prop_assert!(learner.learn(&x, y).abs() <= 0.7);
        }
    }

    #[test]
    fn a_prediction_is_the_one_that_learning_starts_from(
        rows in prop::collection::vec((prop::collection::vec(-2.0..2.0, 2), -2.0..2.0), 1..80)
    ) {
        let mut newton = NonsAldParams::default().build().unwrap();
        let mut gradient = AogdAldParams::default().build().unwrap();
        for (x, y) in rows {
            let predicted = newton.predict(&x);
            prop_assert!((predicted - newton.learn(&x, y)).abs() < 1e-12);
            let predicted = gradient.predict(&x);
            prop_assert!((predicted - gradient.learn(&x, y)).abs() < 1e-12);
        }
    }
}
