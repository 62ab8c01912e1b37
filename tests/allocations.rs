//! Learning a row with a full dictionary does not allocate.

use nystream::kernels::{AnyKernel, Gaussian};
use nystream::{
    AnyParams, AogdAldParams, FogdParams, KrlsAldParams, Learner, LinearRlsParams, NogdParams,
    NonsAldParams, RidgeAldParams,
};

fn learners() -> [AnyParams; 7] {
    let (kernel, max_basis): (AnyKernel, _) = (Gaussian { sigma: 0.5 }.into(), Some(20));
    let nons = NonsAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..NonsAldParams::default()
    };
    let aogd = AogdAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..AogdAldParams::default()
    };
    let ridge = RidgeAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..RidgeAldParams::default()
    };
    let krls = KrlsAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..KrlsAldParams::default()
    };
    let nogd = NogdParams {
        kernel,
        budget: 20,
        ..NogdParams::default()
    };
    [
        nons.into(),
        aogd.into(),
        ridge.into(),
        krls.into(),
        nogd.into(),
        FogdParams::default().into(),
        LinearRlsParams::default().into(),
    ]
}

fn row(i: u32) -> [f64; 3] {
    [0.7, 1.9, 3.1].map(|rate| (rate * f64::from(i)).sin())
}

#[test]
fn rounds_do_not_allocate() {
    for params in learners() {
        let mut learner = Learner::new(params).unwrap();
        for i in 0..100 {
            learner.learn_row(&row(i), row(i)[0]).unwrap();
        }
        let info = allocation_counter::measure(|| {
            for i in 100..200 {
                learner.learn_row(&row(i), row(i)[0]).unwrap();
            }
        });
        assert_eq!(info.count_total, 0, "{:?}", learner.params());
    }
}
